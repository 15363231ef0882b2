// SPDX-License-Identifier: Apache-2.0
#include "kbx/check/situation.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kbx/check/elements.h"
#include "kbx/check/structure.h"

namespace kbx {

Situation situation(const Task& task, const Signature& signature, const Case& c, std::string_view shapes,
                    std::string_view values) {
  Args before = realise(signature, recipes_of(c, shapes, task.name), values, fmt::format("{}/{}", task.name, c.label));
  Expectation expected = expect(task, before);
  return {task, std::move(before), std::move(expected)};
}

Value cast(const Value& wide, const Value& like) {
  if (const auto* t = like.as<at::Tensor>()) return as_tensor(wide).to(t->scalar_type(), false, /*copy=*/true);
  if (const auto* list = like.as<List>()) {
    List out{.items = {}, .tuple = list->tuple};
    for (size_t i = 0; i < list->items.size(); ++i)
      out.items.push_back(cast(wide.as<List>()->items.at(i), list->items[i]));
    return out;
  }
  if (const auto* dict = like.as<Dict>()) {
    Dict out;
    for (size_t i = 0; i < dict->items.size(); ++i)
      out.items.emplace_back(dict->items[i].first, cast(wide.as<Dict>()->items.at(i).second, dict->items[i].second));
    return out;
  }
  return wide;
}

Results cast(const Results& wide, const Results& like) {
  Results out;
  for (size_t i = 0; i < like.size(); ++i) out.push_back(cast(wide.at(i), like[i]));
  return out;
}

Answer answer(const Situation& s, Results results) {
  Answer out{.results = std::move(results), .after = Args(s.before.signature())};
  const auto gots = leaves(out.results), rights = leaves(s.expected.values);
  std::map<const void*, at::Tensor> returned;
  for (size_t i = 0; i < std::min(gots.size(), rights.size()); ++i)
    if (const at::Tensor t = as_tensor(*rights[i].value); t.defined() && t.numel() > 0)
      returned[t.const_data_ptr()] = as_tensor(*gots[i].value);
  const Args after = s.expected.after.map_tensors([&](const at::Tensor& t) {
    const auto at = t.numel() > 0 ? returned.find(t.const_data_ptr()) : returned.end();
    return at == returned.end() ? t : at->second;
  });
  for (const auto& [name, value] : s.before.items()) {
    const bool changes = std::ranges::find(s.task.mutates, name) != s.task.mutates.end();
    out.after.set(name, changes ? cast(after.at(name), value) : value);
  }
  return out;
}

Judgement judged(const Situation& s, const Answer& given) {
  return judge(s.task, s.before, given.after, given.results, s.expected);
}

Results honest(const Situation& s) {
  const auto* quantised = std::get_if<Quantised>(&s.task.contract.rule);
  return cast(quantised ? Results{quantised->schemes.at(0).ideal(s.before)} : s.expected.values, s.expected.shaped);
}

bool equal(const Results& a, const Results& b) {
  const auto left = leaves(a), right = leaves(b);
  if (left.size() != right.size()) return false;
  for (size_t i = 0; i < left.size(); ++i) {
    const at::Tensor l = as_tensor(*left[i].value), r = as_tensor(*right[i].value);
    if (l.defined() != r.defined() || (l.defined() && !same_values(l, r))) return false;
  }
  return true;
}

}  // namespace kbx
