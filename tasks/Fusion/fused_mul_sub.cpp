// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_fused_mul_sub {
namespace {

bool is_tensor(const Args& in, const char* name) {
  return in.at(name).as<at::Tensor>() != nullptr;
}

at::Tensor operand(const Args& in, const char* name) {
  return is_tensor(in, name) ? in.tensor(name) : at::scalar_tensor(in.number(name), in.tensor("input").options());
}

Results mul_sub(const Args& in) {
  const double alpha = in.number("alpha");
  if (!is_tensor(in, "input")) return {in.number("input") * in.number("other_mul") - alpha * in.number("other_sub")};
  const at::Tensor product = in.tensor("input") * operand(in, "other_mul");
  return deliver(in, "out", at::sub(product, operand(in, "other_sub"), alpha));
}

// The terms are rounded once each, alpha too; a fused multiply-add rounds less.
Results mul_sub_slack(const Args& given) {
  const Args in = given.map_tensors([](const at::Tensor& t) { return t.to(at::kDouble); });
  if (!is_tensor(in, "input")) return {at::zeros({}, at::kDouble)};
  const at::Tensor product = in.tensor("input") * operand(in, "other_mul");
  const at::Tensor subtracted = operand(in, "other_sub") * in.number("alpha");
  return {(product.abs() + subtracted.abs() * 1.5).nan_to_num(0, 0, 0)};
}

Case problem(const std::string& label, Recipe input, Recipe other_mul, Recipe other_sub, ArgRecipes more = {}) {
  ArgRecipes args = {
      {"input", std::move(input)}, {"other_mul", std::move(other_mul)}, {"other_sub", std::move(other_sub)}};
  for (auto& item : more) args.push_back(std::move(item));
  return {label, std::move(args)};
}

Cases mul_sub_cases() {
  const auto f = at::kFloat;
  const Recipe three = values({1, 2, 3}, f), factors = values({0.5, 1.5, 2.5}, f), terms = values({0.1, 0.2, 0.3}, f);
  const Recipe wild = outliers({61, 97}, f, 0.01, 10), x = randn({64, 128}, f);
  return {
      problem("three", three, factors, terms),
      problem("a number times", three, 2.0, terms),
      problem("a number less", three, factors, 0.5),
      problem("numbers for both", randn({7, 9}, f), -1.5, 3),
      problem("all numbers", 3.0, 2.0, 0.5),
      problem("all numbers, alpha", 1.5, -2.25, 0.125, {{"alpha", 3}}),
      problem("normal", x, x, x, {{"alpha", -0.5}}),
      problem("outliers", wild, wild, wild, {{"alpha", -0.5}}),
      problem("ragged", randn({4099}, f), randn({4099}, f), randn({4099}, f), {{"alpha", 0.3}}),
      problem("cancelling", uniform({300}, f, 0.9, 1.1), uniform({300}, f, 0.9, 1.1), uniform({300}, f, 0.9, 1.1)),
      problem("rows and columns", randn({20, 33}, f), randn({33}, f), randn({20, 1}, f)),
      problem("the first is broadcast", randn({7, 1}, f), randn({5, 7, 9}, f), randn({}, f), {{"alpha", 2}}),
      problem("special values", values({INFINITY, -INFINITY, NAN, 0, -0.0, 3e38, 1e-38, 1e-42}, f),
              values({1, 2, 1, 1, 1, 1, 1, 1}, f), values({1, INFINITY, 1, 0, 0, -5, 0, 1}, f)),
      problem("one element", randn({1}, f), randn({1}, f), randn({1}, f)),
      problem("empty", empty({0, 5}, f), empty({0, 5}, f), randn({5}, f)),
      problem("alpha 0", randn({33}, f), randn({33}, f), randn({33}, f), {{"alpha", 0}}),
      problem("transposed", transposed(randn({20, 33}, f)), randn({33, 20}, f), transposed(randn({20, 33}, f))),
      problem("strided", strided(randn({60, 9}, f), 0, 3), strided(randn({20, 18}, f), 1, 2), 1.0),
      problem("out", randn({20, 33}, f), randn({20, 33}, f), randn({33}, f),
              {{"alpha", 1.25}, {"out", empty({20, 33}, f)}}),
      problem("transposed out", randn({20, 33}, f), 0.7, randn({33}, f), {{"out", transposed(empty({33, 20}, f))}}),
      drawn_case("drawn shape",
                 [](Draw& d) -> ArgRecipes {
                   const int64_t rows = d.integer(2, 40), columns = d.integer(2, 70);
                   return problem("", randn({rows, columns}, at::kFloat), randn({columns}, at::kFloat),
                                  randn({rows, columns}, at::kFloat))
                       .args;
                 }),
  };
}

KBX_TASK(Fusion, fused_mul_sub) {
  return {
      .signature = "fused_mul_sub(input, other_mul, other_sub, alpha=1, out=None)",
      .description =
          R"(input * other_mul - alpha * other_sub, element by element.
input is a float32 tensor. other_mul and other_sub are each a float32 tensor or a Python number; the tensors broadcast to
one common shape, which is the result's. alpha is a Python number. One rounding of each term and of the difference are
allowed, so a fused multiply-add is right too. Infinities and NaN follow IEEE arithmetic; denormal results may be
flushed to zero.
Without out a new float32 tensor is returned; else the result is written to out, of the result's shape and possibly not
contiguous, which is returned. Tensors may be strided views.
Where input, other_mul and other_sub are all Python numbers (and out is None), the result is a Python number too.)",
      .snippet = R"(import torch


def fused_mul_sub(input, other_mul, other_sub, alpha=1, out=None):
    result = input * other_mul - alpha * other_sub
    return result if out is None else out.copy_(result)
)",
      .reference = mul_sub,
      .cases = mul_sub_cases(),
      .sizes =
          [] {
            Sizes out;
            for (int i = 12; i <= 27; ++i) {
              const Recipe x = uniform({int64_t{1} << i}, at::kFloat);
              out.push_back({"2^" + std::to_string(i), problem("", x, x, x).args});
            }
            return out;
          }(),
      .cost = streaming_cost({"input", "other_mul", "other_sub"}, 3),
      .contract = {Relative{.ulps = 1, .scale = 1, .magnitude = mul_sub_slack, .floor = kSmallestNormal},
                   "float32 rounds the product, alpha, its product and the "
                   "difference by half a spacing of each; "
                   "half types and TF32 are off by 2^-12"},
      .mutates = {"out"},
  };
}

}  // namespace
}  // namespace kbx::task_fused_mul_sub
