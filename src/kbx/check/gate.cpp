// SPDX-License-Identifier: Apache-2.0
#include "kbx/check/gate.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "kbx/check/compare.h"
#include "kbx/check/nulls.h"
#include "kbx/check/situation.h"
#include "kbx/check/structure.h"

namespace kbx {
namespace {

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
  Gate(const Task& task, std::string_view seed)
      : task_(task), seed_(seed), signature_(call_signature(task)), nulls_(nulls_for(task.contract.rule)) {
    if (!std::holds_alternative<Distribution>(task.contract.rule))
      nulls_.push_back({"other draw", nullptr});  // made from another seed, below
    for (const Null& null : nulls_) outcomes_.push_back({.name = null.name});
    for (const auto& [name, reason] : task.right_nulls) {
      const auto at = std::ranges::find(outcomes_, name, &NullOutcome::name);
      if (at == outcomes_.end()) {
        faults_.push_back(fmt::format("calls '{}' a right answer, which is no null submission", name));
      } else {
        *at = {name, NullOutcome::Kind::kRight, reason};
      }
    }
  }

  GateResult find() {
    for (const Case& c : task_.cases) {
      try {
        look_at(c);
      } catch (const std::exception& wrong) {
        note(c, wrong.what());
      }
    }
    for (const NullOutcome& outcome : outcomes_)
      if (outcome.kind == NullOutcome::Kind::kAccepted)
        faults_.push_back(fmt::format("null submission '{}': accepted wherever it is not the answer", outcome.name));
    return {std::move(outcomes_), std::move(faults_)};
  }

 private:
  void note(const Case& c, const std::string& fault) {
    faults_.push_back(fmt::format("case '{}': {}", c.label, fault));
  }

  void look_at(const Case& c) {
    const Situation s = situation(task_, signature_, c, seed_, seed_);
    const Results right = honest(s);
    if (const Judgement j = judged(s, answer(s, right)); j.verdict != Verdict::kPassed)
      return note(c, "refuses the reference's own answer: " + j.reason);
    if (!c.gpu_only && !another_draw(s) && !std::holds_alternative<Quantised>(task_.contract.rule))
      if (const Judgement j = judged(s, answer(s, s.expected.shaped)); j.verdict != Verdict::kPassed)
        note(c, "refuses eager: " + j.reason);
    look_at_nudges(c, s, right);
    for (size_t i = 0; i < nulls_.size(); ++i) try_null(i, c, s, right);
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

  void try_null(size_t i, const Case& c, const Situation& s, const Results& right) {
    NullOutcome& outcome = outcomes_[i];
    if (outcome.kind == NullOutcome::Kind::kRefused || outcome.kind == NullOutcome::Kind::kRight) return;
    const auto& make = nulls_[i].make;
    const std::optional<Results> wrong =
        make ? make(s, right) : honest(situation(task_, signature_, c, seed_, "another seed"));
    if (!wrong || equal(*wrong, right)) return;
    const bool refused = judged(s, answer(s, *wrong)).verdict != Verdict::kPassed;
    outcome.kind = refused ? NullOutcome::Kind::kRefused : NullOutcome::Kind::kAccepted;
    if (refused) outcome.detail = c.label;
  }

  const Task& task_;
  std::string seed_;
  Signature signature_;
  std::vector<Null> nulls_;
  std::vector<NullOutcome> outcomes_;
  std::vector<std::string> faults_;
};

}  // namespace

GateResult gate(const Task& task, std::string_view seed) {
  return Gate(task, seed).find();
}

}  // namespace kbx
