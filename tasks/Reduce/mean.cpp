// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"
#include "kbx/task/rounding.h"

namespace kbx::task_mean {
namespace {

at::Tensor mean_of(const at::Tensor& x, const Args& in, std::optional<at::ScalarType> dtype) {
  return at::mean(x, in.integers("dim"), in.flag("keepdim"), dtype);
}

Results slack(const Args& in) {
  const at::Tensor x = in.tensor("input_tensor").to(at::kDouble);
  const at::Tensor mean = mean_of(x, in, at::kDouble);
  return {sum_slack(mean, mean_of(x.abs(), in, at::kDouble), terms(x, mean))};
}

}  // namespace

KBX_TASK(Reduce, mean) {
  return {
      .signature = "mean(input_tensor, dim, keepdim=False, dtype=None, out=None)",
      .description = R"(Arithmetic mean of a tensor along some dimensions. dim is an int or a tuple of ints, negative
values counting from the end. The input is float32, or int32 when dtype is given. The mean of no elements is NaN.
dtype: torch.float32, torch.float64 or None (the input's). The input is converted to it before it is summed, so float64
asks for float64 arithmetic. Sum float32 in float32 or better, in any order; not in one chain when there are millions of
elements.
out: a tensor of the result's shape and dtype that receives the result and is returned. Without it a new tensor of that
dtype is returned, of the input's shape without the averaged dimensions, or with length 1 there when keepdim is true.
The input may be any strided view.)",
      .snippet = R"(import torch


def mean(input_tensor, dim, keepdim=False, dtype=None, out=None):
    return torch.mean(input_tensor, dim=dim, keepdim=keepdim, dtype=dtype, out=out)
)",
      .reference =
          [](const Args& in) { return deliver(in, "out", mean_of(in.tensor("input_tensor"), in, at::kDouble)); },
      .cases =
          {
              {"dim 0", {{"input_tensor", values({1, 2, 3, 4}, {2, 2}, at::kFloat)}, {"dim", 0}}},
              {"kept", {{"input_tensor", values({1, 2, 3, 4}, {2, 2}, at::kFloat)}, {"dim", 1}, {"keepdim", true}}},
              {"two dims",
               {{"input_tensor", values({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}, at::kFloat)}, {"dim", ints({0, 2})}}},
              {"integers",
               {{"input_tensor", values({1, 2, 3, 4}, {2, 2}, at::kInt)}, {"dim", 0}, {"dtype", at::kFloat}}},
              {"integers to float64",
               {{"input_tensor", randint({9, 31}, -50, 50, at::kInt)}, {"dim", 1}, {"dtype", at::kDouble}}},
              {"float64", {{"input_tensor", randn({9, 129}, at::kFloat)}, {"dim", -1}, {"dtype", at::kDouble}}},
              {"columns", {{"input_tensor", randn({128, 64}, at::kFloat)}, {"dim", 0}}},
              {"rows, kept", {{"input_tensor", randn({64, 256}, at::kFloat)}, {"dim", 1}, {"keepdim", true}}},
              {"first and last", {{"input_tensor", randn({8, 16, 32}, at::kFloat)}, {"dim", ints({0, 2})}}},
              {"outliers, columns", {{"input_tensor", outliers({97, 61}, at::kFloat, 0.01, 10)}, {"dim", 0}}},
              {"outliers, rows, kept",
               {{"input_tensor", outliers({61, 97}, at::kFloat, 0.01, 10)}, {"dim", 1}, {"keepdim", true}}},
              {"outliers, first and last",
               {{"input_tensor", outliers({7, 13, 31}, at::kFloat, 0.01, 10)}, {"dim", ints({0, -1})}}},
              {"positive vector", {{"input_tensor", uniform({4097}, at::kFloat)}, {"dim", 0}}},
              {"one element", {{"input_tensor", randn({1}, at::kFloat)}, {"dim", 0}}},
              {"nothing to average", {{"input_tensor", empty({0, 3}, at::kFloat)}, {"dim", 0}}},
              {"no slices", {{"input_tensor", empty({0, 3}, at::kFloat)}, {"dim", 1}}},
              {"transposed", {{"input_tensor", transposed(randn({40, 24}, at::kFloat))}, {"dim", 1}}},
              {"into out",
               {{"input_tensor", randn({24, 40}, at::kFloat)}, {"dim", 1}, {"out", empty({24}, at::kFloat)}}},
          },
      .sizes =
          [] {
            Sizes sizes = power_sizes("input_tensor", at::kFloat, 12, 27, {.low = 0, .high = 1});
            for (Size& size : sizes) size.args.emplace_back("dim", 0);
            return sizes;
          }(),
      .cost = reduction_cost("input_tensor", 1),
      .contract = {Relative{.scale = 1, .magnitude = slack, .floor = kSmallestNormal},
                   "any order of float32 additions: a chain of n rounds like a random walk; operands in half types or "
                   "TF32 miss it where a hundred elements are summed"},
      .eager =
          [](const Args& in) {
            return deliver(in, "out", mean_of(in.tensor("input_tensor"), in, in.optional_dtype("dtype")));
          },
      .mutates = {"out"},
  };
}

}  // namespace kbx::task_mean
