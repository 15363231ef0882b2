// SPDX-License-Identifier: Apache-2.0
#include "extremum.h"

namespace kbx::task_min {
namespace {

std::vector<Bounded> points_at_smallest(const Question& q) {
  const at::Tensor x = q.before.tensor("input_tensor");
  const int64_t dim = q.before.integer("dim");
  return points_at_best(x, x.amin(dim, /*keepdim=*/true), dim, q.before.flag("keepdim"), q.got[1]);
}

}  // namespace

KBX_TASK(Reduce, min) {
  return {
      .signature = "min(input_tensor, dim, keepdim=False)",
      .description = R"(The smallest element along one dimension of a float32 or int64 tensor, and its index. dim is an
int, negative values count from the end. Where several elements are smallest, the index of any of them is right. NaN is
not asked for; infinities are ordinary values; int64 values are compared as such, beyond 2^53 too.
Returns a tuple (values, indices): values in the input's dtype, indices int64, both of the input's shape without dim, or
with length 1 there when keepdim is true. The input may be any strided view; other dimensions may be empty.)",
      .snippet = R"(import torch


def min(input_tensor, dim, keepdim=False):
    values, indices = torch.min(input_tensor, dim=dim, keepdim=keepdim)
    return values, indices
)",
      .reference = [](const Args& in) -> Results {
        auto [smallest, index] = at::min(in.tensor("input_tensor"), in.integer("dim"), in.flag("keepdim"));
        return {smallest, index};
      },
      .cases =
          {
              {"integers, dim 0", {{"input_tensor", values({1, 2, 3, 4, 0, 6}, {2, 3}, at::kLong)}, {"dim", 0}}},
              {"integers, dim 1", {{"input_tensor", values({1, 2, 3, 4, 0, 6}, {2, 3}, at::kLong)}, {"dim", 1}}},
              {"integers, kept",
               {{"input_tensor", values({1, 2, 3, 4, 0, 6, 7, 8, 9, 12, 11, 10}, {2, 2, 3}, at::kLong)},
                {"dim", 2},
                {"keepdim", true}}},
              {"integers, vector", {{"input_tensor", values({1, 2, 3, 0, 4, 5}, at::kLong)}, {"dim", 0}}},
              {"large integers",
               {{"input_tensor",
                 apply(
                     randint({7, 33}, 0, 1000), [](const at::Tensor& x) { return x + (1LL << 60); }, "+ 2^60")},
                {"dim", -1}}},
              {"columns", {{"input_tensor", randn({128, 64}, at::kFloat)}, {"dim", 0}}},
              {"rows", {{"input_tensor", randn({64, 256}, at::kFloat)}, {"dim", 1}}},
              {"last of three, kept",
               {{"input_tensor", randn({8, 16, 32}, at::kFloat)}, {"dim", 2}, {"keepdim", true}}},
              {"outliers, columns", {{"input_tensor", outliers({97, 61}, at::kFloat, 0.01, 10)}, {"dim", 0}}},
              {"outliers, rows", {{"input_tensor", outliers({61, 97}, at::kFloat, 0.01, 10)}, {"dim", 1}}},
              {"outliers, middle, kept",
               {{"input_tensor", outliers({7, 13, 31}, at::kFloat, 0.01, 10)}, {"dim", -2}, {"keepdim", true}}},
              {"all positive", {{"input_tensor", uniform({5, 37}, at::kFloat, 1, 9)}, {"dim", 1}}},
              {"ties", {{"input_tensor", randint({33, 65}, -3, 3, at::kFloat)}, {"dim", 1}}},
              {"infinities",
               {{"input_tensor", values({INFINITY, 5, INFINITY, 1, -INFINITY, 2}, {2, 3}, at::kFloat)}, {"dim", 1}}},
              {"one element", {{"input_tensor", randn({1}, at::kFloat)}, {"dim", 0}}},
              {"no slices", {{"input_tensor", empty({4, 0}, at::kFloat)}, {"dim", 0}}},
              {"transposed", {{"input_tensor", transposed(randn({40, 24}, at::kFloat))}, {"dim", 1}}},
          },
      .sizes =
          [] {
            Sizes sizes;
            for (int i = 6; i <= 19; ++i)
              sizes.push_back({"2^" + std::to_string(i) + " x 1024",
                               {{"input_tensor", uniform({1LL << i, 1024}, at::kFloat)}, {"dim", 0}}});
            return sizes;
          }(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input_tensor");
        const double n = static_cast<double>(x.numel());
        const double slices = n == 0 ? 0 : n / static_cast<double>(x.size(in.integer("dim")));
        const double element = static_cast<double>(x.element_size());
        return {.bytes_read = bytes_of(x), .bytes_written = (element + 8) * slices, .flops = n - slices};
      },
      .contract = {Exact{},
                   "comparisons round nothing; equal values leave the index open",
                   {{"result[1]", Invariants{points_at_smallest}}}},
  };
}

}  // namespace kbx::task_min
