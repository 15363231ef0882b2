// SPDX-License-Identifier: Apache-2.0
#include "step.h"

namespace kbx::task_SGD {
namespace {

Results sgd_step(const Args& in) {
  at::Tensor param = in.tensor("param"), step = in.tensor("grad");
  const double momentum = in.number("momentum"), weight_decay = in.number("weight_decay");
  if (weight_decay != 0) step = step + param * weight_decay;
  Value buffer = in.at("momentum_buffer");
  if (momentum != 0) {
    at::Tensor b = buffer.none() ? at::zeros_like(param) : *buffer.as<at::Tensor>();
    b.mul_(momentum).add_(step * (1 - in.number("dampening")));
    step = in.flag("nesterov") ? step + b * momentum : b;
    buffer = b;
  }
  param.sub_(step * in.number("lr"));
  return {param, buffer};
}

Case problem(const std::string& label, Shape shape, ArgRecipes more) {
  ArgRecipes args = {{"param", randn(shape, at::kFloat)}, {"grad", randn(shape, at::kFloat)}};
  for (auto& item : more) args.push_back(std::move(item));
  return {label, std::move(args)};
}

Cases sgd_cases() {
  const auto f = at::kFloat;
  const auto buffer = [](Shape shape) { return randn(std::move(shape), at::kFloat); };
  return {
      problem("no momentum", {128}, {{"momentum", 0.0}}),
      problem("zero buffer", {256}, {{"momentum_buffer", full({256}, 0, f)}}),
      problem("buffer", {256}, {{"momentum_buffer", buffer({256})}}),
      problem("buffer made", {77}, {{"weight_decay", 0.1}}),
      problem("weight decay alone", {128}, {{"momentum", 0.0}, {"weight_decay", 0.1}, {"lr", 0.5}}),
      problem("nesterov", {128}, {{"momentum_buffer", buffer({128})}, {"nesterov", true}}),
      problem("nesterov, buffer made", {128}, {{"nesterov", true}, {"momentum", 0.8}}),
      problem("dampening", {300}, {{"momentum_buffer", buffer({300})}, {"dampening", 0.3}}),
      problem("dampening, buffer made", {300}, {{"dampening", 0.5}, {"momentum", 0.7}}),
      problem("everything", {512},
              {{"momentum_buffer", buffer({512})},
               {"lr", 0.05},
               {"momentum", 0.9},
               {"weight_decay", 0.1},
               {"dampening", 0.1},
               {"nesterov", true}}),
      {"outliers",
       {{"param", outliers({512}, f, 0.01, 10)},
        {"grad", outliers({512}, f, 0.01, 10)},
        {"momentum_buffer", buffer({512})},
        {"lr", 0.05},
        {"weight_decay", 0.01},
        {"nesterov", true}}},
      problem("matrix", {37, 53}, {{"momentum_buffer", buffer({37, 53})}}),
      problem("one element", {1}, {{"momentum_buffer", buffer({1})}}),
      problem("no dimensions", {}, {{"momentum_buffer", buffer({})}}),
      problem("empty", {0}, {{"momentum_buffer", full({0}, 0, f)}}),
      {"transposed",
       {{"param", transposed(randn({20, 9}, f))},
        {"grad", randn({9, 20}, f)},
        {"momentum_buffer", transposed(randn({20, 9}, f))}}},
  };
}

KBX_TASK(Optimizer, SGD) {
  return {
      .signature =
          "sgd_step(param, grad, momentum_buffer=None, lr=0.1, momentum=0.9, weight_decay=0.0, dampening=0.0, "
          "nesterov=False)",
      .description = R"(One step of stochastic gradient descent, in place. The entry point is sgd_step.
param and grad are float32 tensors of one shape; momentum_buffer is None or a third. The others are Python numbers.
  g = grad + weight_decay * param
  momentum = 0:  step = g, and momentum_buffer is left alone and returned as it came (None included)
  else:          b = momentum * b + (1 - dampening) * g, in place, where b starts from a new tensor of zeros when
                 momentum_buffer is None (so dampening applies to a first step, too);
                 step = g + momentum * b when nesterov, else b
  param = param - lr * step, in place
Returns the tuple (param, momentum_buffer): the same tensors, changed, and the new buffer where one was made. grad does
not change. Compute in float32. Tensors may be strided views.)",
      .snippet = R"(import torch


def sgd_step(param, grad, momentum_buffer=None, lr=0.1, momentum=0.9, weight_decay=0.0, dampening=0.0, nesterov=False):
    step = grad + weight_decay * param if weight_decay != 0 else grad
    if momentum != 0:
        if momentum_buffer is None:
            momentum_buffer = torch.zeros_like(param)
        momentum_buffer.mul_(momentum).add_(step, alpha=1 - dampening)
        step = step + momentum * momentum_buffer if nesterov else momentum_buffer
    param.add_(step, alpha=-lr)
    return param, momentum_buffer
)",
      .reference = sgd_step,
      .cases = sgd_cases(),
      .sizes = step_sizes({"param", "grad"}, {"momentum_buffer"}, 10, 27),
      .cost = step_cost({"momentum_buffer"}, 6),
      .contract = {Optimiser{.ulps = 4, .floor = 4e-6},
                   "each new value is a sum of at most four products rounded in float32; cancellation leaves four "
                   "spacings of the largest of them, 4e-6 for values up to 8, where half types leave 2^-12 of it"},
      .mutates = {"param", "momentum_buffer"},
  };
}

}  // namespace
}  // namespace kbx::task_SGD
