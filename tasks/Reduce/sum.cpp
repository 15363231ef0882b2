// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"
#include "kbx/task/rounding.h"

namespace kbx::task_sum {
namespace {

at::Tensor sum_of(const at::Tensor& x, const Args& in, std::optional<at::ScalarType> dtype) {
  return at::sum(x, in.integers("dim"), in.flag("keepdim"), dtype);
}

Results slack(const Args& in) {
  const at::Tensor x = in.tensor("input").to(at::kDouble);
  const at::Tensor sum = sum_of(x, in, at::kDouble);
  return {sum_slack(sum, sum_of(x.abs(), in, at::kDouble), terms(x, sum))};
}

}  // namespace

KBX_TASK(Reduce, sum) {
  return {
      .signature = "sum(input, dim, keepdim=False, dtype=None)",
      .description = R"(Sum of a float32, int32 or int64 tensor along some dimensions. dim is an int or a tuple of ints,
negative values counting from the end. The sum of no elements is 0; infinities and NaN follow IEEE arithmetic.
dtype: torch.float32, torch.float64, torch.int64 or None. The input is converted to it before it is summed, so float64
asks for float64 arithmetic. None means float32 for float32 input and int64 for integers, whose sums are exact.
Sum float32 in float32 or better, in any order; not in one chain when there are millions of elements.
Returns a tensor of that dtype, of the input's shape without the summed dimensions, or with length 1 there when keepdim
is true. The input may be any strided view.)",
      .snippet = R"(import torch


def sum(input, dim, keepdim=False, dtype=None):
    return torch.sum(input, dim=dim, keepdim=keepdim, dtype=dtype)
)",
      .reference = [](const Args& in) -> Results {
        const at::Tensor x = in.tensor("input");
        const auto dtype = in.optional_dtype("dtype");
        return {sum_of(x, in, dtype ? std::optional(widened(*dtype)) : std::nullopt)};
      },
      .cases =
          {
              {"integers, dim 0", {{"input", values({1, 2, 3, 4, 5, 6}, {2, 3}, at::kLong)}, {"dim", 0}}},
              {"integers, kept",
               {{"input", values({1, 2, 3, 4, 5, 6}, {2, 3}, at::kLong)}, {"dim", 1}, {"keepdim", true}}},
              {"integers, two dims",
               {{"input", values({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}, at::kLong)}, {"dim", ints({0, 2})}}},
              {"int32 to int64", {{"input", randint({5, 65}, -2000000000, 2000000000, at::kInt)}, {"dim", 1}}},
              {"large integers", {{"input", randint({33, 5}, 0, 1LL << 57)}, {"dim", 0}}},
              {"float64", {{"input", randn({9, 129}, at::kFloat)}, {"dim", 1}, {"dtype", at::kDouble}}},
              {"integers to float32", {{"input", randint({9, 31}, -50, 50)}, {"dim", 0}, {"dtype", at::kFloat}}},
              {"float32 to int64",
               {{"input",
                 apply(
                     randn({9, 31}, at::kFloat, 20), [](const at::Tensor& x) { return x.round(); }, "rounded")},
                {"dim", 0},
                {"dtype", at::kLong}}},
              {"last two of three", {{"input", randn({8, 16, 32}, at::kFloat)}, {"dim", ints({1, 2})}}},
              {"outliers, last two", {{"input", outliers({8, 16, 32}, at::kFloat, 0.01, 10)}, {"dim", ints({1, 2})}}},
              {"first and last, kept",
               {{"input", randn({7, 13, 11}, at::kFloat)}, {"dim", ints({0, -1})}, {"keepdim", true}}},
              {"middle", {{"input", randn({7, 64, 11}, at::kFloat)}, {"dim", 1}}},
              {"positive", {{"input", uniform({4097}, at::kFloat)}, {"dim", 0}}},
              {"all dims", {{"input", randn({3, 5, 7}, at::kFloat)}, {"dim", ints({0, 1, 2})}}},
              {"one element", {{"input", randn({1}, at::kFloat)}, {"dim", 0}}},
              {"nothing to sum", {{"input", empty({0, 3}, at::kFloat)}, {"dim", 0}}},
              {"no slices", {{"input", empty({0, 3}, at::kFloat)}, {"dim", -1}}},
              {"infinities and NaN",
               {{"input", values({INFINITY, 1, 2, INFINITY, -INFINITY, 0, NAN, 1, 2}, {3, 3}, at::kFloat)},
                {"dim", 1}}},
              {"transposed", {{"input", transposed(randn({40, 24}, at::kFloat))}, {"dim", 1}}},
          },
      .sizes =
          [] {
            Sizes sizes = power_sizes("input", at::kFloat, 12, 27, {.low = 0, .high = 1});
            for (Size& size : sizes) size.args.emplace_back("dim", 0);
            return sizes;
          }(),
      .cost = reduction_cost("input", 1),
      .contract = {Relative{.scale = 1, .magnitude = slack, .floor = kSmallestNormal},
                   "any order of float32 additions: a chain of n rounds like a random walk; operands in half types or "
                   "TF32 miss it where a hundred elements are summed"},
      .eager = [](const Args& in) -> Results { return {sum_of(in.tensor("input"), in, in.optional_dtype("dtype"))}; },
  };
}

}  // namespace kbx::task_sum
