// SPDX-License-Identifier: Apache-2.0
#include "step.h"

namespace kbx::task_Lion {
namespace {

Results lion_step(const Args& in) {
  at::Tensor param = in.tensor("param"), m = in.tensor("exp_avg");
  const at::Tensor grad = in.tensor("grad");
  const double beta1 = in.number("beta1"), beta2 = in.number("beta2"), lr = in.number("lr");
  const at::Tensor direction = (m * beta1 + grad * (1 - beta1)).sign();
  param.mul_(1 - lr * in.number("weight_decay")).sub_(direction * lr);
  m.mul_(beta2).add_(grad * (1 - beta2));
  return {param, m};
}

// The sign is a step, and rounding may decide it where the average is nearly zero. Gradients are multiples of 1/64 and
// averages lie halfway between two: then 20 beta1 whole keeps |beta1 m + (1 - beta1) g| above 1/2560.
Recipe gradients(Recipe inner) {
  return apply(
      std::move(inner), [](const at::Tensor& x) { return (x * 64).round() / 64; }, "multiples of 1/64");
}
Recipe averages(Recipe inner) {
  return apply(
      std::move(inner), [](const at::Tensor& x) { return ((x * 64).floor() + 0.5) / 64; },
      "halfway between multiples of 1/64");
}

Case problem(const std::string& label, Shape shape, ArgRecipes more = {}) {
  ArgRecipes args = {{"param", randn(shape, at::kFloat)},
                     {"grad", gradients(randn(shape, at::kFloat))},
                     {"exp_avg", averages(randn(shape, at::kFloat, 0.3))}};
  for (auto& item : more) args.push_back(std::move(item));
  return {label, std::move(args)};
}

Cases lion_cases() {
  const auto f = at::kFloat;
  return {
      {"first step",
       {{"param", randn({128}, f)}, {"grad", randn({128}, f)}, {"exp_avg", full({128}, 0, f)}, {"lr", 0.001}}},
      problem("defaults", {300}),
      problem("weight decay", {256}, {{"lr", 0.01}, {"beta1", 0.95}, {"beta2", 0.98}, {"weight_decay", 0.1}}),
      problem("small weight decay", {256}, {{"weight_decay", 0.1}}),
      problem("learning rate", {64}, {{"lr", 0.05}}),
      problem("betas", {1009}, {{"lr", 0.02}, {"beta1", 0.5}, {"beta2", 0.8}}),
      problem("matrix", {37, 53}, {{"lr", 0.01}}),
      {"nothing moves",
       {{"param", randn({64}, f)},
        {"grad", full({64}, 0, f)},
        {"exp_avg", full({64}, 0, f)},
        {"lr", 0.1},
        {"weight_decay", 0.5}}},
      {"outliers",
       {{"param", outliers({512}, f, 0.01, 10)},
        {"grad", gradients(outliers({512}, f, 0.01, 10))},
        {"exp_avg", averages(randn({512}, f, 0.3))},
        {"lr", 0.01},
        {"weight_decay", 0.1}}},
      problem("one element", {1}, {{"lr", 0.01}}),
      problem("empty", {0}),
      {"transposed",
       {{"param", transposed(randn({20, 9}, f))},
        {"grad", gradients(randn({9, 20}, f))},
        {"exp_avg", transposed(averages(randn({20, 9}, f, 0.3)))},
        {"lr", 0.01}}},
  };
}

KBX_TASK(Optimizer, Lion) {
  return {
      .signature = "lion_step(param, grad, exp_avg, lr=0.0001, beta1=0.9, beta2=0.99, weight_decay=0.0)",
      .description = R"(One step of Lion, in place. The entry point is lion_step.
param, grad and exp_avg (m) are float32 tensors of one shape; the others are Python floats. In this order:
  u = beta1 * m + (1 - beta1) * grad
  param = param * (1 - lr * weight_decay) - lr * sign(u), where sign(0) = 0
  m = beta2 * m + (1 - beta2) * grad
Returns the tuple (param, exp_avg): the same tensors, changed. grad does not change. Compute in float32. Tensors may be
strided views.)",
      .snippet = R"(import torch


def lion_step(param, grad, exp_avg, lr=0.0001, beta1=0.9, beta2=0.99, weight_decay=0.0):
    direction = (exp_avg * beta1 + grad * (1 - beta1)).sign_()
    param.mul_(1 - lr * weight_decay).add_(direction, alpha=-lr)
    exp_avg.mul_(beta2).add_(grad, alpha=1 - beta2)
    return param, exp_avg
)",
      .reference = lion_step,
      .cases = lion_cases(),
      .sizes = step_sizes({"param", "grad"}, {"exp_avg"}, 10, 27),
      .cost = step_cost({"exp_avg"}, 9),
      .contract =
          {Optimiser{.ulps = 4, .floor = 1e-6},
           "each new value is a sum of two or three products rounded in float32, for averages of values up to 4; "
           "the values keep the sign's argument away from zero; half types leave 2^-12"},
      .mutates = {"param", "exp_avg"},
  };
}

}  // namespace
}  // namespace kbx::task_Lion
