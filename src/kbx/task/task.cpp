// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/task.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <iterator>

#include "kbx/base/error.h"

namespace kbx {

Cases operator+(Cases a, Cases b) {
  std::move(b.begin(), b.end(), std::back_inserter(a));
  return a;
}

Results eager_results(const Task& task, const Args& args) {
  const Args own = args.map_tensors([](const at::Tensor& t) { return t.clone(); });
  return task.eager ? task.eager(own) : task.reference(own);
}

Signature call_signature(const Task& task) {
  return task.wrapper ? Signature("call(" + task.wrapper->parameters + ")") : Signature(task.signature);
}

namespace {

template <typename DrawFor>
Args made(const Signature& signature, const ArgRecipes& recipes, const DrawFor& draw_for) {
  Args args(&signature);
  for (const auto& [name, recipe] : recipes) {
    if (signature.find(name) == nullptr)
      throw Error(ErrorKind::kEnvironment, fmt::format("'{}' has no parameter '{}'", signature.text(), name));
    Draw draw = draw_for(name);
    args.set(name, recipe.make(draw));
  }
  return args;
}

}  // namespace

Case drawn_case(std::string label, std::function<ArgRecipes(Draw&)> drawn) {
  return {.label = std::move(label), .args = {}, .drawn = std::move(drawn)};
}

ArgRecipes recipes_of(const Case& c, std::string_view seed, std::string_view task) {
  if (!c.drawn) return c.args;
  Draw draw(seed, fmt::format("{}/{}/shapes", task, c.label));
  return c.drawn(draw);
}

Args realise(const Signature& signature, const ArgRecipes& recipes, std::string_view seed, std::string_view path) {
  return made(signature, recipes,
              [&](const std::string& name) { return Draw(seed, fmt::format("{}/{}", path, name)); });
}

Args outline(const Signature& signature, const ArgRecipes& recipes) {
  return made(signature, recipes, [](const std::string&) { return Draw::outline(); });
}

std::string_view name_of(const Rule& rule) {
  static constexpr std::string_view kNames[] = {"exact",        "close",     "relative", "invariants",
                                                "distribution", "quantised", "optimiser"};
  static_assert(std::size(kNames) == std::variant_size_v<Rule>);
  return kNames[rule.index()];
}

}  // namespace kbx
