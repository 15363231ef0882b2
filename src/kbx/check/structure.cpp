// SPDX-License-Identifier: Apache-2.0
#include "kbx/check/structure.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kbx/check/check.h"

namespace kbx {
namespace {

// One list as the only result is several results: Python cannot tell a tuple of results from a result that is a tuple.
const std::vector<Value>& top(const Results& results) {
  const List* list = results.size() == 1 ? results[0].as<List>() : nullptr;
  return list == nullptr ? results : list->items;
}

std::string kind(const Value& value) {
  if (value.as<at::Tensor>()) return "a tensor";
  if (value.as<bool>()) return "a bool";
  if (value.as<int64_t>()) return "an int";
  if (value.as<double>()) return "a float";
  if (value.as<std::complex<double>>()) return "a complex number";
  if (value.as<std::string>()) return "a str";
  if (const auto* list = value.as<List>())
    return fmt::format("a {} of {}", list->tuple ? "tuple" : "list", list->items.size());
  if (value.as<Dict>()) return "a dict";
  return to_text(value);
}

std::map<std::string, const Value*> sorted(const Dict& dict) {
  std::map<std::string, const Value*> out;
  for (const auto& [key, value] : dict.items) out.emplace(key, &value);
  return out;
}

std::optional<std::string> difference(const std::string& path, const Value& got, const Value& right);

std::optional<std::string> difference(const std::string& path, const List& got, const List& right) {
  if (got.items.size() != right.items.size())
    return fmt::format("{} has {} items, right are {}", path, got.items.size(), right.items.size());
  for (size_t i = 0; i < right.items.size(); ++i)
    if (auto found = difference(fmt::format("{}[{}]", path, i), got.items[i], right.items[i])) return found;
  return std::nullopt;
}

std::optional<std::string> difference(const std::string& path, const Dict& got, const Dict& right) {
  const auto gots = sorted(got), rights = sorted(right);
  for (const auto& [key, value] : gots)
    if (!rights.contains(key)) return fmt::format("{} has a key '{}' that does not belong there", path, key);
  for (const auto& [key, value] : rights) {
    const auto at = gots.find(key);
    if (at == gots.end()) return fmt::format("{} lacks the key '{}'", path, key);
    if (auto found = difference(fmt::format("{}['{}']", path, key), *at->second, *value)) return found;
  }
  return std::nullopt;
}

std::optional<std::string> difference(const std::string& path, const Value& got, const Value& right) {
  if (got.node.index() != right.node.index()) return fmt::format("{} is {}, right is {}", path, kind(got), kind(right));
  if (const auto* list = right.as<List>()) return difference(path, *got.as<List>(), *list);
  if (const auto* dict = right.as<Dict>()) return difference(path, *got.as<Dict>(), *dict);
  return std::nullopt;
}

std::optional<std::string> difference(const Results& got, const Results& right) {
  const auto &gots = top(got), &rights = top(right);
  if (rights.size() == 1 && gots.size() == 1) return difference("result", gots[0], rights[0]);
  if (gots.size() != rights.size())
    return gots.size() == 1 ? fmt::format("the result is {}, right are {} results", kind(gots[0]), rights.size())
                            : fmt::format("{} results, right are {}", gots.size(), rights.size());
  for (size_t i = 0; i < rights.size(); ++i)
    if (auto found = difference(fmt::format("result[{}]", i), gots[i], rights[i])) return found;
  return std::nullopt;
}

void collect(const std::string& path, const Value& value, std::vector<Leaf>& out) {
  if (const auto* list = value.as<List>()) {
    for (size_t i = 0; i < list->items.size(); ++i) collect(fmt::format("{}[{}]", path, i), list->items[i], out);
  } else if (const auto* dict = value.as<Dict>()) {
    for (const auto& [key, item] : sorted(*dict)) collect(fmt::format("{}['{}']", path, key), *item, out);
  } else {
    out.push_back({path, &value});
  }
}

Judgement refusal(Verdict verdict, std::string reason) {
  return {.verdict = verdict, .reason = std::move(reason), .because = {}, .worst = {}};
}

}  // namespace

std::vector<Leaf> leaves(const std::string& path, const Value& value) {
  std::vector<Leaf> out;
  collect(path, value, out);
  return out;
}

std::vector<Leaf> leaves(const Results& results) {
  const auto& items = top(results);
  std::vector<Leaf> out;
  for (size_t i = 0; i < items.size(); ++i)
    collect(items.size() == 1 ? "result" : fmt::format("result[{}]", i), items[i], out);
  return out;
}

Results in_form_of(const Results& got, const Results& right) {
  const bool one_list = right.size() == 1 && right[0].as<List>() != nullptr;
  return one_list ? Results{List{.items = top(got), .tuple = true}} : top(got);
}

at::Tensor as_tensor(const Value& value) {
  if (const auto* v = value.as<at::Tensor>()) return *v;
  if (const auto* v = value.as<double>()) return at::scalar_tensor(*v, at::kDouble);
  if (const auto* v = value.as<int64_t>()) return at::scalar_tensor(*v, at::kLong);
  if (const auto* v = value.as<bool>()) return at::scalar_tensor(*v, at::kBool);
  if (const auto* v = value.as<std::complex<double>>())
    return at::scalar_tensor(c10::complex<double>(*v), at::kComplexDouble);
  return {};
}

std::optional<Judgement> structure_fault(const Results& got, const Results& shaped) {
  if (auto found = difference(got, shaped)) return refusal(Verdict::kWrongStructure, *found);
  const auto gots = leaves(got), rights = leaves(shaped);
  for (size_t i = 0; i < rights.size(); ++i) {
    const auto *g = gots[i].value->as<at::Tensor>(), *r = rights[i].value->as<at::Tensor>();
    if (r != nullptr && g->scalar_type() != r->scalar_type())
      return refusal(Verdict::kWrongDtype, fmt::format("{} is {}, right is {}", rights[i].path,
                                                       dtype_name(g->scalar_type()), dtype_name(r->scalar_type())));
  }
  for (size_t i = 0; i < rights.size(); ++i) {
    const auto *g = gots[i].value->as<at::Tensor>(), *r = rights[i].value->as<at::Tensor>();
    if (r != nullptr && g->sizes() != r->sizes())
      return refusal(Verdict::kWrongShape, fmt::format("{} has the shape [{}], right is [{}]", rights[i].path,
                                                       fmt::join(g->sizes(), ", "), fmt::join(r->sizes(), ", ")));
  }
  return std::nullopt;
}

}  // namespace kbx
