// SPDX-License-Identifier: Apache-2.0
#include "step.h"

namespace kbx::task_AdamW {
namespace {

Results adamw_step(const Args& in) {
  at::Tensor param = in.tensor("param"), m = in.tensor("exp_avg"), v = in.tensor("exp_avg_sq");
  const at::Tensor grad = in.tensor("grad");
  const double beta1 = in.number("beta1"), beta2 = in.number("beta2"), lr = in.number("lr"), step = in.number("step");
  param.mul_(1 - lr * in.number("weight_decay"));
  m.mul_(beta1).add_(grad * (1 - beta1));
  v.mul_(beta2).add_(grad.square() * (1 - beta2));
  const double unbias1 = 1 - std::pow(beta1, step), unbias2 = 1 - std::pow(beta2, step);
  param.sub_(m / (v.sqrt() / std::sqrt(unbias2) + in.number("eps")) * (lr / unbias1));
  return {param, m, v};
}

// States as after some steps: averages of gradients around zero, and of their squares.
Case running(const std::string& label, Shape shape, int step, ArgRecipes more = {}) {
  ArgRecipes args = {{"param", randn(shape, at::kFloat)},
                     {"grad", randn(shape, at::kFloat)},
                     {"exp_avg", randn(shape, at::kFloat, 0.1)},
                     {"exp_avg_sq", uniform(shape, at::kFloat, 0.005, 0.05)},
                     {"step", step}};
  for (auto& item : more) args.push_back(std::move(item));
  return {label, std::move(args)};
}

Case first(const std::string& label, Shape shape, ArgRecipes more = {}) {
  ArgRecipes args = {{"param", randn(shape, at::kFloat)},
                     {"grad", randn(shape, at::kFloat)},
                     {"exp_avg", full(shape, 0, at::kFloat)},
                     {"exp_avg_sq", full(shape, 0, at::kFloat)},
                     {"step", 1}};
  for (auto& item : more) args.push_back(std::move(item));
  return {label, std::move(args)};
}

Cases adamw_cases() {
  const auto f = at::kFloat;
  return {
      first("first step", {10, 5}),
      first("first step, weight decay", {10, 5}, {{"weight_decay", 0.1}, {"lr", 0.05}}),
      running("step 2", {37, 53}, 2, {{"lr", 0.02}}),
      running("step 100", {10, 5}, 100),
      running("step 10000", {257}, 10000, {{"lr", 0.02}}),
      running("learning rate", {300}, 7, {{"lr", 0.1}}),
      running("betas", {300}, 5, {{"lr", 0.05}, {"beta1", 0.7}, {"beta2", 0.95}}),
      running("eps", {300}, 5, {{"lr", 0.05}, {"eps", 0.1}}),
      running("no weight decay", {300}, 5, {{"lr", 0.05}, {"weight_decay", 0.0}}),
      running("everything", {1009}, 20,
              {{"lr", 0.03}, {"beta1", 0.8}, {"beta2", 0.98}, {"eps", 0.01}, {"weight_decay", 0.2}}),
      {"outliers",
       {{"param", outliers({512}, f, 0.01, 10)},
        {"grad", outliers({512}, f, 0.01, 10)},
        {"exp_avg", randn({512}, f, 0.1)},
        {"exp_avg_sq", uniform({512}, f, 0.005, 0.05)},
        {"step", 12},
        {"lr", 0.02}}},
      {"zero gradients",
       {{"param", randn({64}, f)},
        {"grad", full({64}, 0, f)},
        {"exp_avg", full({64}, 0, f)},
        {"exp_avg_sq", full({64}, 0, f)},
        {"step", 1},
        {"lr", 0.1},
        {"weight_decay", 0.1}}},
      running("one element", {1}, 3, {{"lr", 0.05}}),
      running("empty", {0}, 3),
      {"transposed",
       {{"param", transposed(randn({20, 9}, f))},
        {"grad", randn({9, 20}, f)},
        {"exp_avg", randn({9, 20}, f, 0.1)},
        {"exp_avg_sq", transposed(uniform({20, 9}, f, 0.005, 0.05))},
        {"step", 4},
        {"lr", 0.05}}},
  };
}

KBX_TASK(Optimizer, AdamW) {
  return {
      .signature =
          "adamw_step(param, grad, exp_avg, exp_avg_sq, step, lr=0.001, beta1=0.9, beta2=0.999, eps=1e-08, "
          "weight_decay=0.01)",
      .description = R"(One step of AdamW, in place. The entry point is adamw_step.
param, grad, exp_avg (m) and exp_avg_sq (v) are float32 tensors of one shape; step is the number of this step, an int that
counts from 1; the others are Python floats. In this order:
  param = param * (1 - lr * weight_decay)
  m = beta1 * m + (1 - beta1) * grad
  v = beta2 * v + (1 - beta2) * grad^2
  param = param - lr / (1 - beta1^step) * m / (sqrt(v) / sqrt(1 - beta2^step) + eps)
Returns the tuple (param, exp_avg, exp_avg_sq): the same tensors, changed. grad does not change. Compute in float32, the
powers of the betas better in float64 on the host. Tensors may be strided views.)",
      .snippet = R"(import math

import torch


def adamw_step(param, grad, exp_avg, exp_avg_sq, step, lr=0.001, beta1=0.9, beta2=0.999, eps=1e-08, weight_decay=0.01):
    param.mul_(1 - lr * weight_decay)
    exp_avg.mul_(beta1).add_(grad, alpha=1 - beta1)
    exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    denominator = exp_avg_sq.sqrt().div_(math.sqrt(1 - beta2 ** step)).add_(eps)
    param.addcdiv_(exp_avg, denominator, value=-lr / (1 - beta1 ** step))
    return param, exp_avg, exp_avg_sq
)",
      .reference = adamw_step,
      .cases = adamw_cases(),
      .sizes = step_sizes({"param", "grad"}, {"exp_avg", "exp_avg_sq"}, 10, 27, {{"step", 1}}),
      .cost = step_cost({"exp_avg", "exp_avg_sq"}, 14),
      .contract = {.rule = Optimiser{.ulps = 4, .floor = 4e-6},
                   .because =
                       "float32 makes 1 - beta2 wrong by 1.3e-5 and 1 - beta2^step by up to 6e-5 of itself, which "
                       "moves a parameter by 3e-5 lr (lr is at most 0.1); half types move it by hundreds more",
                   .except = {{"result[2]", Relative{.ulps = 256, .floor = 1e-12}}}},
      .mutates = {"param", "exp_avg", "exp_avg_sq"},
  };
}

}  // namespace
}  // namespace kbx::task_AdamW
