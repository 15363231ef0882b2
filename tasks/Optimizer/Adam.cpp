// SPDX-License-Identifier: Apache-2.0
#include "step.h"

namespace kbx::task_Adam {
namespace {

double number_or(const Args& in, std::string_view name, double otherwise) {
  return in.optional_number(name).value_or(otherwise);
}

std::pair<double, double> betas(const Args& in) {
  const auto* list = in.at("betas").as<List>();
  if (list == nullptr) return {0.9, 0.999};
  return {*list->items.at(0).as<double>(), *list->items.at(1).as<double>()};
}

struct State {
  at::Tensor m, v;
  int step = 0;
};

void update(const Args& in, at::Tensor param, at::Tensor grad, State& state) {
  const auto [beta1, beta2] = betas(in);
  const double weight_decay = number_or(in, "weight_decay", 0);
  if (weight_decay != 0) grad = grad + param * weight_decay;
  if (state.step++ == 0) state.m = at::zeros_like(param), state.v = at::zeros_like(param);
  state.m.mul_(beta1).add_(grad * (1 - beta1));
  state.v.mul_(beta2).add_(grad.square() * (1 - beta2));
  const double unbias1 = 1 - std::pow(beta1, state.step), unbias2 = 1 - std::pow(beta2, state.step);
  const at::Tensor denominator = state.v.sqrt() / std::sqrt(unbias2) + number_or(in, "eps", 1e-8);
  param.sub_(state.m / denominator * (number_or(in, "lr", 1e-3) / unbias1));
}

Results adam(const Args& in) {
  const std::vector<at::Tensor> params = in.tensors("params");
  std::vector<State> states(params.size());
  for (const Value& step : in.at("grads").as<List>()->items)
    for (size_t i = 0; i < params.size(); ++i)
      if (const auto* grad = step.as<List>()->items.at(i).as<at::Tensor>()) update(in, params[i], *grad, states[i]);
  std::vector<at::Tensor> flat;
  for (const at::Tensor& param : params) flat.push_back(param.reshape({-1}));
  return {at::cat(flat)};
}

// So many steps of parameters of these shapes; different gradients in each.
ArgRecipes run(const std::vector<Shape>& shapes, int steps, ArgRecipes more = {}) {
  std::vector<Recipe> params, grads;
  for (const Shape& shape : shapes) params.push_back(randn(shape, at::kFloat));
  for (int i = 0; i < steps; ++i) {
    std::vector<Recipe> step;
    for (const Shape& shape : shapes) step.push_back(randn(shape, at::kFloat));
    grads.push_back(list_of(std::move(step)));
  }
  ArgRecipes args = {{"params", list_of(std::move(params))}, {"grads", list_of(std::move(grads))}};
  for (auto& item : more) args.push_back(std::move(item));
  return args;
}

Value pair(double first, double second) {
  return Value(List{.items = {Value(first), Value(second)}, .tuple = true});
}

Cases adam_cases() {
  const auto f = at::kFloat;
  const Recipe none{Value()};
  return {
      {"one step", run({{2, 2}}, 1)},
      {"defaults", run({{37}}, 3)},
      {"learning rate", run({{2, 2}}, 4, {{"lr", 0.01}})},
      {"betas", run({{19, 7}}, 4, {{"betas", pair(0.85, 0.95)}, {"lr", 0.01}})},
      {"eps", run({{19, 7}}, 3, {{"eps", 0.1}, {"lr", 0.01}})},
      {"weight decay", run({{50}}, 4, {{"weight_decay", 0.1}, {"lr", 0.01}})},
      {"everything",
       run({{300}, {5, 6, 7}}, 5, {{"lr", 0.02}, {"betas", pair(0.7, 0.98)}, {"eps", 1e-3}, {"weight_decay", 0.05}})},
      {"several parameters", run({{16, 16}, {16}, {1}, {3, 5, 7}}, 3, {{"lr", 0.01}})},
      {"a parameter without gradient",
       {{"params", list_of({randn({5}, f), randn({7}, f)})},
        {"grads", list_of({list_of({randn({5}, f), none}), list_of({randn({5}, f), randn({7}, f)}),
                           list_of({none, randn({7}, f)})})},
        {"lr", 0.01}}},
      {"zero gradients",
       {{"params", list_of({randn({9}, f)})},
        {"grads", list_of({list_of({full({9}, 0, f)})})},
        {"weight_decay", 0.1},
        {"lr", 0.01}}},
  };
}

KBX_TASK(Optimizer, Adam) {
  return {
      .signature = "Adam(params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0)",
      .description = R"(An optimiser object for a list of float32 parameters, which must have a method step().
step() updates, in place, every parameter p whose gradient p.grad is not None; others, and their count of steps, stay:
  g = p.grad + weight_decay * p
  m = beta1 * m + (1 - beta1) * g;   v = beta2 * v + (1 - beta2) * g^2       m and v are zero before the first step
  p = p - lr / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + eps)       t counts the parameter's steps from 1
The object keeps m, v and t of each parameter. p.grad does not change. The caller makes the parameters, which require
gradients, calls Adam once, then for each step sets the gradients and calls step(); the parameters after the last step
are judged, and timing covers all of it. Parameters have any shape. Compute in float32, the powers of the betas better in
float64 on the host.)",
      .snippet = R"(import torch


def Adam(params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0):
    return torch.optim.Adam(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
)",
      .reference = adam,
      .cases = adam_cases(),
      .sizes =
          [] {
            Sizes out;
            for (int i = 12; i <= 27; ++i) out.push_back({"2^" + std::to_string(i), run({{int64_t{1} << i}}, 1)});
            return out;
          }(),
      .cost = [](const Args& in) -> Cost {
        Cost cost;
        for (const at::Tensor& param : in.tensors("params")) {
          const double steps = static_cast<double>(in.at("grads").as<List>()->items.size());
          // The first step reads no state.
          cost.bytes_read += bytes_of(param) * (4 * steps - 2);
          cost.bytes_written += bytes_of(param) * 3 * steps;
          cost.flops += 13 * steps * static_cast<double>(param.numel());
        }
        return cost;
      },
      .contract = {Optimiser{.ulps = 8, .floor = 4e-6},
                   "float32 makes 1 - beta2 wrong by 1.3e-5 and 1 - beta2^t by up to 6e-5 of itself, which moves a "
                   "parameter by 3e-5 lr a step (lr is at most 0.02, steps 5); half types move it by hundreds more"},
      .mutates = {"params"},
      .wrapper = Wrapper{.parameters = "params, grads, lr=None, betas=None, eps=None, weight_decay=None",
                         .python = R"(import torch


def call(entry, params, grads, lr=None, betas=None, eps=None, weight_decay=None):
    given = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
    leaves = [p.detach().requires_grad_() for p in params]
    optimizer = entry(leaves, **{name: value for name, value in given.items() if value is not None})
    for step in grads:
        for leaf, grad in zip(leaves, step):
            leaf.grad = grad
        optimizer.step()
    return torch.cat([leaf.detach().reshape(-1) for leaf in leaves])
)"},
  };
}

}  // namespace
}  // namespace kbx::task_Adam
