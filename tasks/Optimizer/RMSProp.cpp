// SPDX-License-Identifier: Apache-2.0
#include "step.h"

namespace kbx::task_RMSProp {
namespace {

Results rmsprop_step(const Args& in) {
  at::Tensor param = in.tensor("param"), average = in.tensor("square_avg"), grad = in.tensor("grad");
  const double alpha = in.number("alpha"), weight_decay = in.number("weight_decay");
  if (weight_decay != 0) grad = grad + param * weight_decay;
  average.mul_(alpha).add_(grad.square() * (1 - alpha));
  param.sub_(grad / (average.sqrt() + in.number("eps")) * in.number("lr"));
  return {param, average};
}

Case problem(const std::string& label, Shape shape, ArgRecipes more = {}) {
  ArgRecipes args = {{"param", randn(shape, at::kFloat)},
                     {"grad", randn(shape, at::kFloat)},
                     {"square_avg", uniform(shape, at::kFloat, 0, 0.5)}};
  for (auto& item : more) args.push_back(std::move(item));
  return {label, std::move(args)};
}

Cases rmsprop_cases() {
  const auto f = at::kFloat;
  return {
      {"first step", {{"param", randn({128}, f)}, {"grad", randn({128}, f)}, {"square_avg", full({128}, 0, f)}}},
      problem("defaults", {300}),
      problem("weight decay", {256}, {{"lr", 0.05}, {"alpha", 0.95}, {"eps", 1e-6}, {"weight_decay", 0.1}}),
      problem("alpha", {64}, {{"lr", 0.05}, {"alpha", 0.7}}),
      problem("eps", {300}, {{"lr", 0.05}, {"eps", 0.2}}),
      problem("everything", {1009}, {{"lr", 0.03}, {"alpha", 0.9}, {"eps", 0.05}, {"weight_decay", 0.3}}),
      problem("matrix", {37, 53}, {{"lr", 0.02}}),
      {"zero gradients", {{"param", randn({64}, f)}, {"grad", full({64}, 0, f)}, {"square_avg", full({64}, 0, f)}}},
      {"outliers",
       {{"param", outliers({512}, f, 0.01, 10)},
        {"grad", outliers({512}, f, 0.01, 10)},
        {"square_avg", uniform({512}, f, 0, 0.5)},
        {"lr", 0.02},
        {"weight_decay", 0.1}}},
      problem("one element", {1}),
      problem("empty", {0}),
      {"transposed",
       {{"param", transposed(randn({20, 9}, f))},
        {"grad", randn({9, 20}, f)},
        {"square_avg", transposed(uniform({20, 9}, f, 0, 0.5))},
        {"lr", 0.05}}},
  };
}

KBX_TASK(Optimizer, RMSProp) {
  return {
      .signature = "rmsprop_step(param, grad, square_avg, lr=0.01, alpha=0.99, eps=1e-08, weight_decay=0.0)",
      .description = R"(One step of RMSProp without momentum, in place. The entry point is rmsprop_step.
param, grad and square_avg (s) are float32 tensors of one shape; the others are Python floats.
  g = grad + weight_decay * param
  s = alpha * s + (1 - alpha) * g^2
  param = param - lr * g / (sqrt(s) + eps)
Returns the tuple (param, square_avg): the same tensors, changed. grad does not change. Compute in float32. Tensors may be
strided views.)",
      .snippet = R"(import torch


def rmsprop_step(param, grad, square_avg, lr=0.01, alpha=0.99, eps=1e-08, weight_decay=0.0):
    if weight_decay != 0:
        grad = grad + weight_decay * param
    square_avg.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
    param.addcdiv_(grad, square_avg.sqrt().add_(eps), value=-lr)
    return param, square_avg
)",
      .reference = rmsprop_step,
      .cases = rmsprop_cases(),
      .sizes = step_sizes({"param", "grad"}, {"square_avg"}, 10, 27),
      .cost = step_cost({"square_avg"}, 9),
      .contract = {.rule = Optimiser{.ulps = 4, .floor = 2e-6},
                   .because =
                       "a step is lr times a quotient below 1 / sqrt(1 - alpha) that float32 finds to some 1e-6 of "
                       "itself, as 1 - alpha loses; half types leave 2^-12",
                   .except = {{"result[1]", Relative{.ulps = 32, .floor = 1e-12}}}},
      .mutates = {"param", "square_avg"},
  };
}

}  // namespace
}  // namespace kbx::task_RMSProp
