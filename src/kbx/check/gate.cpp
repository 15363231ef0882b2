// SPDX-License-Identifier: Apache-2.0
// The gate before the catalogue: honest answers pass, the usual dishonest ones do not.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kbx/check/catalog_faults.h"
#include "kbx/check/check.h"
#include "kbx/check/compare.h"
#include "kbx/check/elements.h"
#include "kbx/check/structure.h"

namespace kbx {
namespace {

// What a submission might hand in.
struct Answer {
  Results results;
  Args after;
};

// One case and what is right in it.
struct Situation {
  const Task& task;
  Args before;
  Expectation expected;
};

constexpr std::string_view kShapes = "catalogue";  // the seed of drawn shapes: answers for other values have the same

Situation situation(const Task& task, const Signature& signature, const Case& c, std::string_view seed) {
  Args before = realise(signature, recipes_of(c, kShapes, task.name), seed, fmt::format("{}/{}", task.name, c.label));
  Expectation expected = expect(task, before);
  return {task, std::move(before), std::move(expected)};
}

// The tree `wide` with its tensors in the dtypes of `like`.
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

// The results with the arguments as an honest kernel leaves them: those that the reference returned hold the results.
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

// The reference's own answer; of a quantised task that of its first scheme, since the reference is what must not pass.
Results honest(const Situation& s) {
  const auto* quantised = std::get_if<Quantised>(&s.task.contract.rule);
  return cast(quantised ? Results{quantised->schemes.at(0).ideal(s.before)} : s.expected.values, s.expected.shaped);
}

template <typename F>
Results changed(const Results& results, const F& f) {
  Results out;
  for (const Value& value : results) out.push_back(map_tensors(value, f));
  return out;
}

at::Tensor mean_of(const at::Tensor& x) {
  if (!x.is_floating_point() && !x.is_complex()) return x;
  return at::full_like(x, 1) * x.to(x.is_complex() ? at::kComplexDouble : at::kDouble).mean().to(x.scalar_type());
}

at::Tensor first_half_of(const at::Tensor& x) {
  at::Tensor out = x.clone(at::MemoryFormat::Contiguous);
  out.view({-1}).slice(0, (x.numel() + 1) / 2).zero_();
  return out;
}

// float32 as TF32 has it, ten bits behind the point, rounded to nearest; float64 as float32.
at::Tensor lower_precision(const at::Tensor& x) {
  if (x.is_complex()) return at::view_as_complex(lower_precision(at::view_as_real(x).contiguous()));
  if (x.scalar_type() == at::kDouble) return x.to(at::kFloat).to(at::kDouble);
  if (x.scalar_type() != at::kFloat) return x;
  const at::Tensor rounded = (x.contiguous().view(at::kInt) + 0x1000).bitwise_and(~0x1FFF).view(at::kFloat);
  return at::where(x.isfinite(), rounded, x);
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

using Cheat = std::function<std::optional<Results>(const Situation&, const Results& honest)>;

std::optional<Results> copy_of_an_argument(const Situation& s, const Results& right) {
  const auto items = leaves(right);
  const at::Tensor first = items.empty() ? at::Tensor() : as_tensor(*items[0].value);
  if (!first.defined() || items.size() != 1 || items[0].value != &right[0]) return std::nullopt;
  std::optional<Results> copy;
  for (const auto& [name, value] : s.before.items())
    for_each_tensor(name, value, [&](const std::string&, const at::Tensor& t) {
      if (!copy && t.sizes() == first.sizes() && t.scalar_type() == first.scalar_type()) copy = {t.clone()};
    });
  return copy;
}

std::optional<Results> of_lower_precision(const Situation& s, const Results&) {
  // Without a floating argument to blur it would be an honest answer, or another draw of a random one.
  bool floating = false;
  for (const auto& [name, value] : s.before.items())
    if (std::ranges::find(s.task.mutates, name) == s.task.mutates.end())
      for_each_tensor(name, value, [&](const std::string&, const at::Tensor& t) { floating |= t.is_floating_point(); });
  if (!floating) return std::nullopt;
  return cast(expect(s.task, s.before.map_tensors(lower_precision)).values, s.expected.shaped);
}

template <typename F>
Cheat everywhere(const F& f) {
  return [f](const Situation&, const Results& right) { return changed(right, f); };
}

std::vector<std::pair<const char*, Cheat>> cheats_for(const Rule& rule) {
  std::vector<std::pair<const char*, Cheat>> out = {
      {"zeros", everywhere([](const at::Tensor& x) { return at::zeros_like(x); })},
      {"ones", everywhere([](const at::Tensor& x) { return at::ones_like(x); })},
      {"the mean everywhere", everywhere(mean_of)},
      {"half of the answer", everywhere(first_half_of)},
      {"a copy of an argument", copy_of_an_argument},
      {"the answer for arguments of lower precision", of_lower_precision},
  };
  if (std::holds_alternative<Quantised>(rule))
    out.emplace_back("the product of unquantised floats",
                     [](const Situation& s, const Results&) { return cast(s.expected.values, s.expected.shaped); });
  return out;
}

// The index of a finite element, as far in the middle as there is one.
std::optional<int64_t> finite_element(const at::Tensor& x) {
  const at::Tensor indices = x.reshape({-1}).isfinite().nonzero().reshape({-1});
  if (indices.numel() == 0) return std::nullopt;
  return indices[indices.numel() / 2].item<int64_t>();
}

// One element off: a number by one, a float by a tenth of the largest, or for rules over the whole answer, whose bounds
// are no element's, by far more than that.
std::optional<at::Tensor> nudged(const at::Tensor& x, bool elementwise) {
  const auto at = finite_element(x);
  if (!at) return std::nullopt;
  at::Tensor out = x.clone(at::MemoryFormat::Contiguous);
  at::Tensor element = out.view({-1}).select(0, *at);
  if (!x.is_floating_point() && !x.is_complex()) {
    if (!elementwise) return std::nullopt;  // the next index may be as good
    element.copy_(x.scalar_type() == at::kBool ? element.logical_not() : element + 1);
    return out;
  }
  const at::Tensor sizes = x.abs().to(at::kDouble);
  const double most = at::where(sizes.isfinite(), sizes, 0).max().item<double>();
  const double step = elementwise ? (most > 0 ? most / 10 : 1) : 10 * (most + 1);
  // Towards zero, so that the largest value of the dtype stays finite.
  const bool negative = at::real(element).to(at::kDouble).item<double>() < 0;
  element.copy_(element.to(x.is_complex() ? at::kComplexDouble : at::kDouble) + (negative ? step : -step));
  return out;
}

class Gate {
 public:
  explicit Gate(const Task& task)
      : task_(task), signature_(call_signature(task)), cheats_(cheats_for(task.contract.rule)) {
    if (!std::holds_alternative<Distribution>(task.contract.rule))
      cheats_.emplace_back("the answer for other arguments", Cheat());  // made from another seed, below
    counts_.resize(cheats_.size());
  }

  std::vector<std::string> find() {
    for (const Case& c : task_.cases) {
      try {
        look_at(c);
      } catch (const std::exception& wrong) {
        note(c, wrong.what());
      }
    }
    for (size_t i = 0; i < cheats_.size(); ++i)
      if (counts_[i].tried > 0 && counts_[i].refused == 0)
        faults_.push_back(
            fmt::format("{}: accepted in all {} cases where it is not the answer", cheats_[i].first, counts_[i].tried));
    return std::move(faults_);
  }

 private:
  struct Count {
    int tried = 0, refused = 0;
  };

  void note(const Case& c, const std::string& fault) {
    faults_.push_back(fmt::format("case '{}': {}", c.label, fault));
  }

  void look_at(const Case& c) {
    const Situation s = situation(task_, signature_, c, "catalogue");
    const Results right = honest(s);
    if (const Judgement j = judged(s, answer(s, right)); j.verdict != Verdict::kPassed)
      return note(c, "refuses the reference's own answer: " + j.reason);
    if (!c.gpu_only && !another_draw(s) && !std::holds_alternative<Quantised>(task_.contract.rule))
      if (const Judgement j = judged(s, answer(s, s.expected.shaped)); j.verdict != Verdict::kPassed)
        note(c, "refuses eager: " + j.reason);
    look_at_nudges(c, s, right);
    for (size_t i = 0; i < cheats_.size(); ++i) count(i, c, s, right);
  }

  // Eager's answer is judged beside the reference's arguments. Where a random operation changes an argument, those
  // belong to another draw, and only the reference's own answer fits them.
  bool another_draw(const Situation& s) const {
    if (!std::holds_alternative<Distribution>(task_.contract.rule)) return false;
    return std::ranges::any_of(task_.mutates, [&](const std::string& name) {
      return s.before.has(name) && !s.before.tensor(name).to(at::kDouble).equal(s.expected.after.tensor(name));
    });
  }

  void look_at_nudges(const Case& c, const Situation& s, const Results& right) {
    const auto items = leaves(right);
    for (size_t i = 0; i < items.size(); ++i) {
      const Rule* rule = &task_.contract.rule;
      for (const auto& [path, other] : task_.contract.except)
        if (path == items[i].path) rule = &other;
      const auto* tensor = items[i].value->as<at::Tensor>();
      const auto off = tensor != nullptr ? nudged(*tensor, is_elementwise(*rule)) : std::nullopt;
      if (!off) continue;
      const Results moved = changed(right, [&](const at::Tensor& t) { return &t == tensor ? *off : t; });
      if (judged(s, answer(s, moved)).verdict == Verdict::kPassed)
        note(c, fmt::format("accepts {} with an element that is off", items[i].path));
    }
  }

  void count(size_t i, const Case& c, const Situation& s, const Results& right) {
    const auto& cheat = cheats_[i].second;
    const std::optional<Results> wrong =
        cheat ? cheat(s, right) : honest(situation(task_, signature_, c, "another seed"));
    if (!wrong || equal(*wrong, right)) return;
    ++counts_[i].tried;
    if (judged(s, answer(s, *wrong)).verdict != Verdict::kPassed) ++counts_[i].refused;
  }

  const Task& task_;
  Signature signature_;
  std::vector<std::pair<const char*, Cheat>> cheats_;
  std::vector<Count> counts_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> faults_of_judgement(const Task& task) {
  return Gate(task).find();
}

}  // namespace kbx
