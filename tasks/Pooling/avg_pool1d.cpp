// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"
#include "kbx/task/rounding.h"

namespace kbx::task_avg_pool1d {
namespace {

at::Tensor pool(const at::Tensor& x, const Args& in) {
  const std::vector<int64_t> stride = in.has("stride") ? in.integers("stride") : std::vector<int64_t>();
  return at::avg_pool1d(x, in.integers("kernel_size"), stride, in.integers("padding"));
}

Results slack(const Args& in) {
  const at::Tensor x = in.tensor("input");
  return {sum_slack(pool(x, in), pool(x.abs(), in), in.integers("kernel_size")[0], /*each=*/2)};
}

}  // namespace

KBX_TASK(Pooling, avg_pool1d) {
  return {
      .signature = "avg_pool1d(input, kernel_size, stride=None, padding=0)",
      .description = R"(Average over windows along the last dimension of a float32 tensor of shape (N, C, L) or (C, L):
y[..., i] = (1 / kernel_size) * sum of x[..., i * stride - padding + j] for j = 0 .. kernel_size - 1, where places
outside of x count as zeros and the divisor is always kernel_size. The last dimension of the result has
floor((L + 2 padding - kernel_size) / stride) + 1 elements. Each parameter is an int or a tuple of one int; stride None
means kernel_size; padding is at most half of kernel_size. Compute in float32.
Returns a new float32 tensor. The input may be any strided view.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def avg_pool1d(input, kernel_size, stride=None, padding=0):
    return F.avg_pool1d(input, kernel_size, stride=stride, padding=padding)
)",
      .reference = [](const Args& in) -> Results { return {pool(in.tensor("input"), in)}; },
      .cases =
          {
              {"pairs", {{"input", randn({2, 4, 16}, at::kFloat)}, {"kernel_size", 2}}},
              {"overlapping", {{"input", randn({2, 4, 32}, at::kFloat)}, {"kernel_size", 4}, {"stride", 2}}},
              {"padded", {{"input", randn({2, 4, 16}, at::kFloat)}, {"kernel_size", 3}, {"stride", 1}, {"padding", 1}}},
              {"ragged", {{"input", randn({3, 5, 37}, at::kFloat)}, {"kernel_size", 5}}},
              {"gaps", {{"input", randn({3, 5, 37}, at::kFloat)}, {"kernel_size", 2}, {"stride", 5}}},
              {"padded, ragged",
               {{"input", randn({1, 7, 101}, at::kFloat)}, {"kernel_size", 7}, {"stride", 3}, {"padding", 3}}},
              {"wide window", {{"input", randn({2, 3, 300}, at::kFloat)}, {"kernel_size", 129}, {"stride", 16}}},
              {"outliers", {{"input", outliers({2, 8, 64}, at::kFloat, 0.01, 10)}, {"kernel_size", 4}, {"padding", 2}}},
              {"no batch", {{"input", randn({6, 33}, at::kFloat)}, {"kernel_size", 3}, {"stride", 2}}},
              {"tuples",
               {{"input", randn({2, 3, 20}, at::kFloat)},
                {"kernel_size", ints({4})},
                {"stride", ints({3})},
                {"padding", ints({1})}}},
              {"the whole", {{"input", randn({2, 3, 11}, at::kFloat)}, {"kernel_size", 11}}},
              {"single elements", {{"input", randn({2, 3, 11}, at::kFloat)}, {"kernel_size", 1}, {"stride", 2}}},
              {"one element", {{"input", randn({1, 1, 1}, at::kFloat)}, {"kernel_size", 1}}},
              {"empty batch", {{"input", empty({0, 3, 8}, at::kFloat)}, {"kernel_size", 2}}},
              {"transposed", {{"input", transposed(randn({2, 24, 5}, at::kFloat))}, {"kernel_size", 2}}},
          },
      .sizes =
          [] {
            Sizes sizes;
            for (int i = 10; i <= 15; ++i)
              sizes.push_back({"2 x 64 x 2^" + std::to_string(i),
                               {{"input", randn({2, 64, 1LL << i}, at::kFloat)}, {"kernel_size", 2}}});
            return sizes;
          }(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input");
        const int64_t window = in.integers("kernel_size")[0];
        const int64_t stride = in.has("stride") ? in.integers("stride")[0] : window;
        const int64_t length = (x.size(-1) + 2 * in.integers("padding")[0] - window) / stride + 1;
        const double outputs = static_cast<double>(x.numel() / x.size(-1) * length);
        return {.bytes_read = bytes_of(x),
                .bytes_written = outputs * static_cast<double>(x.element_size()),
                .flops = outputs * static_cast<double>(window)};
      },
      .contract = {Relative{.ulps = 2, .scale = 1, .magnitude = slack, .floor = kSmallestNormal},
                   "a chain of kernel_size additions, then a rounded factor or a fast division good to two spacings; "
                   "operands in half types or TF32 are off by 2^-12"},
  };
}

}  // namespace kbx::task_avg_pool1d
