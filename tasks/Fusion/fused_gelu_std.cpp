// SPDX-License-Identifier: Apache-2.0
#include "activation_slack.h"
#include "kbx/task/define.h"
#include "kbx/task/rounding.h"

namespace kbx::task_fused_gelu_std {
namespace {

at::Tensor activated(const Args& in, const at::Tensor& x) {
  return at::gelu(x, in.text("approximate"));
}

std::vector<int64_t> dims_of(const Args& in, const at::Tensor& x) {
  std::vector<int64_t> dims = in.integers("dim");
  if (dims.empty())
    for (int64_t d = 0; d < x.dim(); ++d) dims.push_back(d);
  return dims;
}

at::Tensor std_of(const Args& in, const at::Tensor& g) {
  return at::std(g, dims_of(in, g), at::Scalar(in.number("correction")), in.flag("keepdim"));
}

// Deviations round in proportion to the deviation and the mean, by Welford's
// rule too. The errors of the elements move the result by at most their own
// root of squares over the divisor.
Results gelu_std_slack(const Args& in) {
  const at::Tensor x = in.tensor("input").to(at::kDouble), g = activated(in, x), deviation = std_of(in, g);
  const std::vector<int64_t> dims = dims_of(in, x);
  const at::Tensor mean = at::mean(g.abs(), dims, in.flag("keepdim"));
  const at::Tensor squares = through_gelu(x, at::zeros_like(x)).square().sum(dims, in.flag("keepdim"));
  const double divisor = static_cast<double>(terms(x, deviation)) - in.number("correction");
  const at::Tensor of_elements = (squares / std::max(divisor, 0.0)).sqrt();
  return {(sum_slack(deviation, mean, terms(x, deviation)) + of_elements).nan_to_num(0, 0, 0)};
}

Cases gelu_std_cases() {
  const auto f = at::kFloat;
  const Recipe x = randn({64, 128}, f), wild = outliers({61, 97}, f, 0.01, 10), ten = randn({10, 20}, f);
  return {
      {"ten", {{"input", randn({10}, f)}}},
      {"ten, tanh", {{"input", randn({10}, f)}, {"approximate", "tanh"}}},
      {"dim 1", {{"input", ten}, {"dim", 1}}},
      {"dim 1, kept", {{"input", ten}, {"dim", 1}, {"keepdim", true}}},
      {"all, tanh", {{"input", x}, {"dim", Value()}, {"approximate", "tanh"}}},
      {"columns, tanh", {{"input", x}, {"dim", 0}, {"approximate", "tanh"}}},
      {"rows", {{"input", x}, {"dim", 1}}},
      {"outliers, all", {{"input", wild}, {"approximate", "tanh"}}},
      {"outliers, columns", {{"input", wild}, {"dim", 0}}},
      {"outliers, rows, tanh", {{"input", wild}, {"dim", -1}, {"approximate", "tanh"}}},
      {"population", {{"input", randn({9, 33}, f)}, {"dim", 1}, {"correction", 0}}},
      {"correction 2.5", {{"input", randn({9, 33}, f)}, {"dim", 1}, {"correction", 2.5}}},
      {"all kept", {{"input", randn({7, 13, 11}, f)}, {"keepdim", true}}},
      {"first and last", {{"input", randn({7, 13, 11}, f)}, {"dim", ints({0, -1})}}},
      {"large mean", {{"input", randn({16, 128}, f, 1, 1000)}, {"dim", 1}}},
      {"negative", {{"input", uniform({9, 33}, f, -4, -0.5)}, {"dim", 1}}},
      {"negative, tanh", {{"input", uniform({9, 33}, f, -4, -0.5)}, {"dim", 1}, {"approximate", "tanh"}}},
      {"two", {{"input", randn({5, 2}, f)}, {"dim", 1}}},
      {"one element", {{"input", randn({1}, f)}}},
      {"one element, population", {{"input", randn({3, 1}, f)}, {"dim", 1}, {"correction", 0}}},
      {"no slices", {{"input", empty({0, 5}, f)}, {"dim", 1}}},
      {"transposed", {{"input", transposed(randn({40, 24}, f))}, {"dim", 1}}},
      {"strided", {{"input", strided(randn({60, 24}, f), 0, 3)}, {"dim", 0}}},
      {"out", {{"input", randn({24, 40}, f)}, {"dim", 1}, {"out", empty({24}, f)}}},
      drawn_case(
          "drawn shape",
          [](Draw& d) -> ArgRecipes {
            return {{"input", randn({d.integer(2, 40), d.integer(2, 70)}, at::kFloat)}, {"dim", d.integer(0, 2)}};
          }),
  };
}

KBX_TASK(Fusion, fused_gelu_std) {
  return {
      .signature =
          "fused_gelu_std(input, dim=None, keepdim=False, "
          "correction=1, approximate='none', out=None)",
      .description =
          R"(Standard deviation of g = gelu(x) over some dimensions of a float32 tensor:
sqrt(sum((g - mean of g)^2) / max(0, n - correction)), n being the number of elements of a slice.
approximate='none': gelu(x) = x/2 (1 + erf(x / sqrt(2))). approximate='tanh': x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715
x^3))). The two differ by up to 5e-4 and each is asked for by itself.
dim: None for all dimensions, an int, or a tuple of ints, negative ones counted from the end. keepdim keeps the reduced
dimensions with size 1. correction is a Python number, 1 by default (Bessel), 0 for the population's deviation. 0/0, as
for one element with correction 1, is NaN.
Compute in float32 or better. Deviations from the mean have to be formed, in two passes or by Welford's rule: the mean
of squares less the square of the mean loses every digit where the mean is a thousand times the deviation, which occurs.
Without out a new float32 tensor is returned; else the result is written to out, of the result's shape, which is
returned. The input may be any strided view.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def fused_gelu_std(input, dim=None, keepdim=False, correction=1, approximate='none', out=None):
    activated = F.gelu(input, approximate=approximate)
    result = torch.std(activated, dim=dim, correction=correction, keepdim=keepdim)
    return result if out is None else out.copy_(result)
)",
      .reference = [](const Args& in) { return deliver(in, "out", std_of(in, activated(in, in.tensor("input")))); },
      .cases = gelu_std_cases(),
      .sizes = power_sizes("input", at::kFloat, 12, 27, {.low = 0, .high = 1}),
      .cost = reduction_cost("input", 11),
      .contract = {Relative{.ulps = 2, .scale = 1, .magnitude = gelu_std_slack},
                   "each gelu is good to 4 |x| spacings, whose root of squares "
                   "moves the deviation at most; the sum of "
                   "squared deviations and, by Welford's rule, the mean round "
                   "like random walks; half types miss this "
                   "by more than a hundred times"},
      .mutates = {"out"},
  };
}

}  // namespace
}  // namespace kbx::task_fused_gelu_std
