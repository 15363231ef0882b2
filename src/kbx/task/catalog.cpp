// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/catalog.h"

#include <fmt/format.h>

#include "kbx/task/registry.h"

namespace kbx {
namespace {

using nlohmann::json;

// The numbers of a rule, as people compare them; what is a function can only be named.
struct BoundText {
  std::string operator()(const Exact& rule) const { return rule.signed_zero ? "equal, -0 is not 0" : "equal"; }
  std::string operator()(const Close&) const { return "|error| <= t + t |eager|, t = 5e-3 for half types, 1e-5 else"; }
  std::string operator()(const Relative& rule) const {
    std::string out = fmt::format("|error| <= eps ({} |reference|", rule.ulps);
    if (rule.magnitude) out += fmt::format(" + {} magnitude", rule.scale);
    return out + fmt::format(") + {}", rule.floor);
  }
  std::string operator()(const Invariants&) const { return "equations of the answer, each with its bound"; }
  std::string operator()(const Distribution& rule) const {
    return rule.independent ? "distribution; two calls differ" : "distribution";
  }
  std::string operator()(const Quantised& rule) const {
    std::string names;
    for (const Scheme& scheme : rule.schemes) names += (names.empty() ? "" : "; ") + scheme.name;
    return fmt::format("within {} of the largest output of one scheme: {}", rule.rounding, names);
  }
  std::string operator()(const Optimiser& rule) const {
    return fmt::format("|error| <= eps {} |reference| + {}, results and state", rule.ulps, rule.floor);
  }
};

json rule_entry(const Rule& rule) {
  return {{"rule", name_of(rule)}, {"bound", std::visit(BoundText{}, rule)}};
}

json contract_entry(const Contract& contract) {
  json out = rule_entry(contract.rule);
  out["because"] = contract.because;
  for (const auto& [path, rule] : contract.except) out["except"][path] = rule_entry(rule);
  return out;
}

json args_entry(const ArgRecipes& recipes) {
  json out = json::object();
  for (const auto& [name, recipe] : recipes) out[name] = recipe.text;
  return out;
}

// Of drawn shapes the entry shows one draw.
json case_entry(const Case& c, const std::string& task) {
  json out = {{"label", c.label}, {"args", args_entry(recipes_of(c, "catalogue", task))}};
  if (c.drawn) out["drawn"] = true;
  if (c.gpu_only) out["gpu_only"] = true;
  return out;
}

}  // namespace

json catalog_entry(const Task& task) {
  json out = {
      {"name", task.name},           {"category", task.category},       {"entry", Signature(task.signature).entry()},
      {"signature", task.signature}, {"description", task.description}, {"snippet", task.snippet},
      {"cases", json::array()},      {"sizes", json::array()},          {"contract", contract_entry(task.contract)},
      {"mutates", task.mutates}};
  for (const Case& c : task.cases) out["cases"].push_back(case_entry(c, task.name));
  for (const Size& size : task.sizes) out["sizes"].push_back({{"label", size.label}, {"args", args_entry(size.args)}});
  if (task.wrapper) out["wrapper"] = {{"parameters", task.wrapper->parameters}, {"python", task.wrapper->python}};
  return out;
}

json catalog() {
  json out = json::array();
  for (const Task* task : Registry::global().all()) out.push_back(catalog_entry(*task));
  return out;
}

}  // namespace kbx
