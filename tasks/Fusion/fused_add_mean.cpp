// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"
#include "kbx/task/rounding.h"

namespace kbx::task_fused_add_mean {
namespace {

at::Tensor addend(const Args& in) {
  const at::Tensor x = in.tensor("input");
  return in.at("other").as<at::Tensor>() ? in.tensor("other") : at::scalar_tensor(in.number("other"), x.options());
}

at::Tensor mean_of(const Args& in, const at::Tensor& sum, std::optional<at::ScalarType> dtype = {}) {
  if (in.has("dim")) return at::mean(sum, in.integers("dim"), in.flag("keepdim"), dtype);
  return at::mean(sum, at::OptionalIntArrayRef(), in.flag("keepdim"), dtype);
}

at::Tensor sum_of(const Args& in) {
  return at::add(in.tensor("input"), addend(in), in.number("alpha"));
}

// The addition is in float32, whatever dtype the mean is taken in.
Results add_mean_slack(const Args& in) {
  const Args exact = in.map_tensors([](const at::Tensor& t) { return t.to(at::kDouble); });
  const at::Tensor sum = sum_of(exact), mean = mean_of(exact, sum);
  const at::Tensor magnitude =
      mean_of(exact, exact.tensor("input").abs() + addend(exact).abs() * std::abs(in.number("alpha")));
  const at::ScalarType dtype = in.optional_dtype("dtype").value_or(at::kFloat);
  const double ratio = spacing(at::kFloat) / spacing(dtype);
  at::Tensor slack = sum_slack(mean, magnitude, terms(sum, mean)) * ratio;
  // A narrower dtype rounds every term: deviations of 0.36 spacings of a term, which average out; six of them.
  if (ratio < 1) slack += magnitude * 2 / std::sqrt(std::max<double>(1, static_cast<double>(terms(sum, mean))));
  return {slack};
}

Case problem(const std::string& label, Recipe input, Recipe other, ArgRecipes more = {}) {
  ArgRecipes args = {{"input", std::move(input)}, {"other", std::move(other)}};
  for (auto& item : more) args.push_back(std::move(item));
  return {label, std::move(args)};
}

Cases add_mean_cases() {
  const auto f = at::kFloat;
  const Recipe x = randn({128, 256}, f), y = randn({128, 256}, f);
  const Recipe wild = outliers({64, 128}, f, 0.01, 10);
  const Recipe small = values({1, 2, 3, 4}, {2, 2}, f), halves = full({2, 2}, 0.5, f);
  return {
      problem("vectors", values({1, 2, 3}, f), full({3}, 0.5, f)),
      problem("a number, alpha", values({1, 2, 3}, f), 0.5, {{"alpha", 2}}),
      problem("dim 0", small, halves, {{"dim", 0}}),
      problem("dim 1, keepdim", small, halves, {{"dim", 1}, {"keepdim", true}}),
      problem("all, keepdim", x, y, {{"dim", Value()}, {"alpha", 0.5}, {"keepdim", true}}),
      problem("columns", x, y, {{"dim", 0}, {"alpha", 0.5}, {"keepdim", true}}),
      problem("rows", x, y, {{"dim", 1}, {"alpha", 0.5}}),
      problem("outliers, all", wild, wild, {{"alpha", -0.5}}),
      problem("outliers, rows", wild, wild, {{"dim", -1}, {"alpha", 0.5}, {"keepdim", true}}),
      problem("ragged", randn({37, 53}, f), randn({37, 53}, f), {{"dim", 1}, {"alpha", -1.7}}),
      problem("middle of three", randn({5, 19, 7}, f), randn({5, 19, 7}, f), {{"dim", 1}}),
      problem("two of three", randn({5, 19, 7}, f), randn({5, 19, 7}, f), {{"dim", ints({0, 2})}, {"keepdim", true}}),
      problem("row for all", randn({20, 33}, f), randn({33}, f), {{"dim", 0}, {"alpha", 3}}),
      problem("column for all", randn({1, 33}, f), randn({20, 1}, f), {{"dim", 1}}),
      problem("far from zero", randn({16, 300}, f, 1, 100), randn({16, 300}, f), {{"dim", 1}}),
      problem("float64", randn({17, 33}, f), randn({17, 33}, f), {{"dim", 1}, {"dtype", at::kDouble}}),
      problem("float16", randn({17, 33}, f), randn({17, 33}, f), {{"dtype", at::kHalf}}),
      problem("one element", randn({1}, f), randn({1}, f)),
      problem("empty", empty({0, 5}, f), empty({0, 5}, f), {{"dim", 1}}),
      problem("mean of nothing", empty({0, 5}, f), empty({0, 5}, f), {{"dim", 0}}),
      problem("transposed", transposed(randn({40, 21}, f)), randn({21, 40}, f), {{"dim", 0}}),
      problem("out", randn({20, 33}, f), randn({20, 33}, f), {{"dim", 1}, {"out", empty({20}, f)}}),
  };
}

KBX_TASK(Fusion, fused_add_mean) {
  return {
      .signature = "fused_add_mean(input, other, dim=None, alpha=1, keepdim=False, dtype=None, out=None)",
      .description = R"(Mean of input + alpha * other.
input is a float32 tensor; other a float32 tensor that broadcasts with it (both ways) or a Python number; alpha a Python
number. dim: an int or a tuple of ints, negative ones counted from the end, are the dimensions of the broadcast sum that
are averaged; None averages all, to a tensor without dimensions. keepdim keeps the averaged dimensions with size 1.
dtype: the sum is converted to it before it is averaged, and it is the dtype of the result (float32 when None; for
float16 average in float32 and round once). The mean of no elements is NaN.
Without out a new tensor is returned; else the result is written to out, which is returned. Sums are in float32 or
better, in any order. Tensors may be strided views.)",
      .snippet = R"(import torch


def fused_add_mean(input, other, dim=None, alpha=1, keepdim=False, dtype=None, out=None):
    result = torch.mean(torch.add(input, other, alpha=alpha), dim=dim, keepdim=keepdim, dtype=dtype)
    return result if out is None else out.copy_(result)
)",
      .reference = [](const Args& in) { return deliver(in, "out", mean_of(in, sum_of(in))); },
      .cases = add_mean_cases(),
      .sizes = binary_power_sizes("input", "other", at::kFloat, 12, 27, {.low = 0, .high = 1}, {.low = 0, .high = 1}),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input"), other = addend(in);
        const double n = static_cast<double>(at::broadcast_tensors({x, other})[0].numel());
        const double kept = !in.has("dim") ? 1 : static_cast<double>(mean_of(in, sum_of(in)).numel());
        const auto dtype = in.optional_dtype("dtype").value_or(x.scalar_type());
        return {.bytes_read = bytes_of(x) + (in.at("other").as<at::Tensor>() ? bytes_of(other) : 0),
                .bytes_written = kept * static_cast<double>(c10::elementSize(dtype)),
                .flops = 3 * n};
      },
      .contract =
          {Relative{.ulps = 1, .scale = 1, .magnitude = add_mean_slack},
           "a float32 sum of n terms in any order, 2 sqrt(n) |mean| + 8 mean(|input| + |alpha other|) spacings, "
           "the additions included; half types are off by hundreds where the mean is over few elements. With a "
           "narrower "
           "dtype= every term is rounded to it, which leaves 2 / sqrt(n) of its spacings"},
      .eager = [](const Args& in) { return deliver(in, "out", mean_of(in, sum_of(in), in.optional_dtype("dtype"))); },
      .mutates = {"out"},
  };
}

}  // namespace
}  // namespace kbx::task_fused_add_mean
