// SPDX-License-Identifier: Apache-2.0
#include "extremum.h"

namespace kbx::task_argmax {
namespace {

std::vector<Bounded> points_at_largest(const Question& q) {
  const at::Tensor x = q.before.tensor("input_tensor");
  const int64_t dim = q.before.integer("dim");
  return points_at_best(x, x.amax(dim, /*keepdim=*/true), dim, q.before.flag("keepdim"), q.got[0]);
}

}  // namespace

KBX_TASK(Reduce, argmax) {
  return {
      .signature = "argmax(input_tensor, dim, keepdim=False)",
      .description =
          R"(The index of the largest element along one dimension of a float32, float16 or int64 tensor. dim is
an int, negative values count from the end. Where several elements are largest, the index of any of them is right. NaN
is not asked for; infinities are ordinary values; int64 values are compared as such, beyond 2^53 too.
Returns an int64 tensor of the input's shape without dim, or with length 1 there when keepdim is true. The input may be
any strided view; other dimensions may be empty.)",
      .snippet = R"(import torch


def argmax(input_tensor, dim, keepdim=False):
    return torch.argmax(input_tensor, dim=dim, keepdim=keepdim)
)",
      .reference = [](const Args& in) -> Results {
        return {at::argmax(in.tensor("input_tensor"), in.integer("dim"), in.flag("keepdim"))};
      },
      .cases =
          {
              {"integers, dim 0", {{"input_tensor", values({1, 3, 2, 4, 0, 5}, {2, 3}, at::kLong)}, {"dim", 0}}},
              {"integers, dim 1", {{"input_tensor", values({1, 3, 2, 4, 0, 5}, {2, 3}, at::kLong)}, {"dim", 1}}},
              {"integers, dim 2",
               {{"input_tensor", values({1, 2, 3, 6, 5, 4, 7, 9, 8, 10, 11, 12}, {2, 2, 3}, at::kLong)}, {"dim", 2}}},
              {"integers, kept",
               {{"input_tensor", values({1, 2, 3, 4, 0, 6, 7, 8, 9, 1, 11, 12}, {2, 2, 3}, at::kLong)},
                {"dim", 1},
                {"keepdim", true}}},
              {"large integers",
               {{"input_tensor",
                 apply(
                     randint({7, 33}, 0, 1000), [](const at::Tensor& x) { return x + (1LL << 60); }, "+ 2^60")},
                {"dim", -1}}},
              {"columns", {{"input_tensor", randn({128, 64}, at::kFloat)}, {"dim", 0}}},
              {"rows", {{"input_tensor", randn({64, 256}, at::kFloat)}, {"dim", 1}}},
              {"last of three", {{"input_tensor", randn({8, 16, 32}, at::kFloat)}, {"dim", 2}}},
              {"middle of three, kept",
               {{"input_tensor", randn({8, 16, 32}, at::kFloat)}, {"dim", 1}, {"keepdim", true}}},
              {"outliers, columns", {{"input_tensor", outliers({97, 61}, at::kFloat, 0.01, 10)}, {"dim", 0}}},
              {"outliers, last, kept",
               {{"input_tensor", outliers({7, 13, 31}, at::kFloat, 0.01, 10)}, {"dim", -1}, {"keepdim", true}}},
              {"all negative", {{"input_tensor", uniform({5, 37}, at::kFloat, -9, -1)}, {"dim", 1}}},
              {"ties", {{"input_tensor", randint({33, 65}, -3, 3, at::kFloat)}, {"dim", 1}}},
              {"infinities",
               {{"input_tensor", values({-INFINITY, -5, -INFINITY, 1, INFINITY, 2}, {2, 3}, at::kFloat)}, {"dim", 1}}},
              {"vector", {{"input_tensor", randn({1009}, at::kFloat)}, {"dim", 0}}},
              {"float16", {{"input_tensor", randn({1000}, at::kHalf)}, {"dim", 0}}},
              {"one element", {{"input_tensor", randn({1}, at::kFloat)}, {"dim", 0}}},
              {"no slices", {{"input_tensor", empty({4, 0}, at::kFloat)}, {"dim", 0}}},
              {"transposed", {{"input_tensor", transposed(randn({40, 24}, at::kFloat))}, {"dim", 1}}},
          },
      .sizes =
          [] {
            Sizes sizes = power_sizes("input_tensor", at::kHalf, 12, 29);
            for (Size& size : sizes) size.args.emplace_back("dim", 0);
            return sizes;
          }(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input_tensor");
        const double n = static_cast<double>(x.numel());
        const double slices = n == 0 ? 0 : n / static_cast<double>(x.size(in.integer("dim")));
        return {.bytes_read = bytes_of(x), .bytes_written = 8 * slices, .flops = n};
      },
      .contract = {Invariants{points_at_largest}, "comparisons round nothing; equal values leave the index open"},
  };
}

}  // namespace kbx::task_argmax
