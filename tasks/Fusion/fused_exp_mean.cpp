// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"
#include "kbx/task/rounding.h"

namespace kbx::task_fused_exp_mean {
namespace {

at::Tensor mean_of(const Args& in, const at::Tensor& x, std::optional<at::ScalarType> dtype = {}) {
  if (in.has("dim")) return at::mean(x, in.integers("dim"), in.flag("keepdim"), dtype);
  return at::mean(x, at::OptionalIntArrayRef(), in.flag("keepdim"), dtype);
}

// The fast exponential is good to |x| + 2 spacings of float32, whatever dtype
// the mean is taken in.
Results exp_mean_slack(const Args& in) {
  const at::Tensor x = in.tensor("input").to(at::kDouble), e = x.exp(), mean = mean_of(in, e);
  const at::Tensor magnitude = mean_of(in, at::where(e.eq(0), 0, e * (x.abs() + 10)));
  const double ratio = spacing(at::kFloat) / spacing(in.optional_dtype("dtype").value_or(at::kFloat));
  at::Tensor slack = sum_slack(mean, magnitude, terms(x, mean), /*each=*/1) * ratio;
  // A narrower dtype rounds every term: deviations of 0.36 spacings of a term,
  // which average out; six of them.
  if (ratio < 1) slack += mean * 2 / std::sqrt(std::max<double>(1, static_cast<double>(terms(x, mean))));
  return {slack.nan_to_num(0, 0, 0)};
}

Case problem(const std::string& label, Recipe input, ArgRecipes more = {}) {
  ArgRecipes args = {{"input", std::move(input)}};
  for (auto& item : more) args.push_back(std::move(item));
  return {label, std::move(args)};
}

Cases exp_mean_cases() {
  const auto f = at::kFloat;
  const Recipe four = values({1, 2, 3, 4}, {2, 2}, f), x = randn({64, 128}, f), wild = outliers({61, 97}, f, 0.01, 10);
  return {
      problem("vector", values({1, 2, 3}, f)),
      problem("dim 0", four, {{"dim", 0}}),
      problem("dim 1, kept", four, {{"dim", 1}, {"keepdim", true}}),
      problem("all of three", values({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}, f)),
      problem("all, kept", x, {{"dim", Value()}, {"keepdim", true}}),
      problem("columns, kept", x, {{"dim", 0}, {"keepdim", true}}),
      problem("rows, kept", x, {{"dim", 1}, {"keepdim", true}}),
      problem("outliers, all", wild),
      problem("outliers, columns", wild, {{"dim", 0}}),
      problem("outliers, rows", wild, {{"dim", -1}}),
      problem("ragged", randn({37, 53}, f), {{"dim", 1}}),
      problem("middle of three", randn({5, 19, 7}, f), {{"dim", 1}}),
      problem("two of three", randn({5, 19, 7}, f), {{"dim", ints({0, -1})}, {"keepdim", true}}),
      problem("negative exponents", randn({9, 65}, f, 5, -30), {{"dim", 1}}),
      problem("large exponents", uniform({9, 65}, f, 40, 80), {{"dim", 1}}),
      problem("overflow", values({90, 1, 100, 2, 1, 2}, {3, 2}, f), {{"dim", 1}}),
      problem("infinities and NaN", values({INFINITY, 1, -INFINITY, 2, NAN, 3}, {3, 2}, f), {{"dim", 1}}),
      problem("float64", randn({17, 33}, f), {{"dim", 1}, {"dtype", at::kDouble}}),
      problem("float16", randn({17, 33}, f), {{"dtype", at::kHalf}}),
      problem("float32, said", randn({17, 33}, f), {{"dim", 0}, {"dtype", at::kFloat}}),
      problem("one element", randn({1}, f)),
      problem("no slices", empty({0, 5}, f), {{"dim", 1}}),
      problem("mean of nothing", empty({0, 5}, f), {{"dim", 0}}),
      problem("transposed", transposed(randn({40, 21}, f)), {{"dim", 0}}),
      problem("strided", strided(randn({60, 21}, f), 0, 3), {{"dim", 0}}),
      problem("out", randn({20, 33}, f), {{"dim", 1}, {"out", empty({20}, f)}}),
      problem("out, all", randn({20, 33}, f), {{"out", empty({}, f)}}),
      drawn_case(
          "drawn shape",
          [](Draw& d) -> ArgRecipes {
            return {{"input", randn({d.integer(2, 40), d.integer(2, 70)}, at::kFloat)}, {"dim", d.integer(0, 2)}};
          }),
  };
}

KBX_TASK(Fusion, fused_exp_mean) {
  return {
      .signature =
          "fused_exp_mean(input, dim=None, keepdim=False, dtype=None, "
          "out=None)",
      .description = R"(Mean of exp(x) over some dimensions of a float32 tensor.
dim: an int or a tuple of ints, negative ones counted from the end, are the dimensions that are averaged; None averages
all, to a tensor without dimensions. keepdim keeps the averaged dimensions with size 1. The mean of no elements is NaN.
exp is taken in float32, and infinity where it overflows. dtype: the exponentials are converted to it before they are
averaged, and it is the dtype of the result (float32 when None; for float16 average in float32 and round once).
Without out a new tensor is returned; else the result is written to out, of the result's shape and dtype, which is
returned. Sums are in float32 or better, in any order, not in one chain when there are millions of elements. The input
may be any strided view.)",
      .snippet = R"(import torch


def fused_exp_mean(input, dim=None, keepdim=False, dtype=None, out=None):
    result = torch.mean(torch.exp(input), dim=dim, keepdim=keepdim, dtype=dtype)
    return result if out is None else out.copy_(result)
)",
      .reference = [](const Args& in) { return deliver(in, "out", mean_of(in, in.tensor("input").exp())); },
      .cases = exp_mean_cases(),
      .sizes = power_sizes("input", at::kFloat, 12, 29, {.low = 0, .high = 1}),
      .cost = reduction_cost("input", 2),
      .contract = {Relative{.ulps = 1, .scale = 1, .magnitude = exp_mean_slack, .floor = kSmallestNormal},
                   "the fast exponential is good to |x| + 2 spacings, and a "
                   "float32 sum of n terms in any order to "
                   "2 sqrt(n) spacings; half types are off by hundreds where "
                   "the mean is over few elements. With a narrower dtype= "
                   "every term is rounded to it, which leaves 2 / sqrt(n) of "
                   "its spacings"},
      .eager =
          [](const Args& in) {
            return deliver(in, "out", mean_of(in, in.tensor("input").exp(), in.optional_dtype("dtype")));
          },
      .mutates = {"out"},
  };
}

}  // namespace
}  // namespace kbx::task_fused_exp_mean
