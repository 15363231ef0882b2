// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"
#include "kbx/task/rounding.h"

namespace kbx::task_std {
namespace {

at::OptionalIntArrayRef dims_of(const std::vector<int64_t>& dims) {
  return dims.empty() ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(dims);
}

std::vector<int64_t> dims_given(const Args& in) {
  return in.has("dim") ? in.integers("dim") : std::vector<int64_t>();
}

at::Tensor std_of(const Args& in) {
  const std::vector<int64_t> dims = dims_given(in);
  return at::std(in.tensor("input"), dims_of(dims), at::Scalar(in.number("correction")), in.flag("keepdim"));
}

// Deviations from a mean are formed, or updated by Welford's rule: the errors stay in proportion to the deviation and
// to the mean, and not to its square.
Results slack(const Args& in) {
  const at::Tensor x = in.tensor("input"), deviation = std_of(in);
  const std::vector<int64_t> dims = dims_given(in);
  const at::Tensor mean = at::mean(x.abs(), dims_of(dims), in.flag("keepdim"));
  return {sum_slack(deviation, mean, terms(x, deviation)).nan_to_num(0, 0, 0)};
}

}  // namespace

KBX_TASK(Reduce, std) {
  return {
      .signature = "std(input, dim=None, correction=1, keepdim=False, out=None)",
      .description = R"(Standard deviation of a float32 tensor along some dimensions:
sqrt(sum((x - mean)^2) / max(0, n - correction)), with n the number of elements of a slice. dim is None for all
dimensions, an int, or a tuple of ints, negative values counting from the end. correction is a Python number, 1 by
default (Bessel), 0 for the population's deviation. 0/0, as for one element with correction 1, is NaN.
Compute in float32 or better. Deviations from the mean have to be formed, in two passes or by Welford's rule: the mean
of squares less the square of the mean loses every digit where the mean is a thousand times the deviation, which occurs.
out: a float32 tensor of the result's shape that receives the result and is returned. Without it a new float32 tensor is
returned, of the input's shape without the reduced dimensions, or with length 1 there when keepdim is true. The input
may be any strided view.)",
      .snippet = R"(import torch


def std(input, dim=None, correction=1, keepdim=False, out=None):
    result = torch.std(input, dim=dim, correction=correction, keepdim=keepdim)
    return result if out is None else out.copy_(result)
)",
      .reference = [](const Args& in) { return deliver(in, "out", std_of(in)); },
      .cases =
          {
              {"five", {{"input", values({1, 2, 3, 4, 5}, at::kFloat)}}},
              {"dim 0", {{"input", values({1, 2, 3, 4, 5, 7}, {2, 3}, at::kFloat)}, {"dim", 0}}},
              {"dim 1, kept",
               {{"input", values({1, 2, 3, 4, 5, 7}, {2, 3}, at::kFloat)}, {"dim", 1}, {"keepdim", true}}},
              {"population", {{"input", values({1, 2, 3, 4, 5}, at::kFloat)}, {"correction", 0}}},
              {"all of a vector", {{"input", randn({4096}, at::kFloat)}}},
              {"all of three dims, kept", {{"input", randn({7, 13, 11}, at::kFloat)}, {"keepdim", true}}},
              {"columns", {{"input", randn({128, 64}, at::kFloat)}, {"dim", 0}}},
              {"rows, kept", {{"input", randn({64, 256}, at::kFloat)}, {"dim", 1}, {"keepdim", true}}},
              {"rows, population", {{"input", randn({64, 256}, at::kFloat)}, {"dim", 1}, {"correction", 0}}},
              {"outliers, all", {{"input", outliers({4097}, at::kFloat, 0.001, 10)}}},
              {"outliers, columns", {{"input", outliers({97, 61}, at::kFloat, 0.01, 10)}, {"dim", 0}}},
              {"outliers, rows, population",
               {{"input", outliers({61, 97}, at::kFloat, 0.01, 10)}, {"dim", -1}, {"correction", 0}}},
              {"first and last", {{"input", randn({7, 13, 11}, at::kFloat)}, {"dim", ints({0, -1})}}},
              {"correction 2.5", {{"input", randn({9, 33}, at::kFloat)}, {"dim", 1}, {"correction", 2.5}}},
              {"large mean", {{"input", randn({16, 128}, at::kFloat, 1, 1000)}, {"dim", 1}}},
              {"constant", {{"input", full({3, 8}, 2.5, at::kFloat)}, {"dim", 1}}},
              {"one element", {{"input", randn({1}, at::kFloat)}}},
              {"one element, population", {{"input", randn({3, 1}, at::kFloat)}, {"dim", 1}, {"correction", 0}}},
              {"no slices", {{"input", empty({0, 5}, at::kFloat)}, {"dim", 1}}},
              {"transposed", {{"input", transposed(randn({40, 24}, at::kFloat))}, {"dim", 1}}},
              {"into out", {{"input", randn({24, 40}, at::kFloat)}, {"dim", 1}, {"out", empty({24}, at::kFloat)}}},
          },
      .sizes = power_sizes("input", at::kFloat, 12, 27, {.low = 0, .high = 1}),
      .cost = reduction_cost("input", 3),
      .contract = {Relative{.scale = 1, .magnitude = slack},
                   "the sum of squared deviations rounds like a random walk; the mean's error, in proportion to the "
                   "magnitudes, enters by Welford's rule. Half types miss this by more than a hundred times"},
      .mutates = {"out"},
  };
}

}  // namespace kbx::task_std
