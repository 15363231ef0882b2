// SPDX-License-Identifier: Apache-2.0
#include "kbx/check/check.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "kbx/base/error.h"
#include "kbx/check/compare.h"
#include "kbx/check/elements.h"
#include "kbx/check/structure.h"
#include "kbx/task/families.h"

namespace kbx {
namespace {

at::Tensor wide_copy(const at::Tensor& t) {
  return t.to(widened(t.scalar_type()), false, /*copy=*/true);
}

Results wide(const Results& results) {
  Results out;
  for (const Value& value : results) out.push_back(map_tensors(value, wide_copy));
  return out;
}

Judgement refusal(Verdict verdict, std::string reason) {
  return {.verdict = verdict, .reason = std::move(reason), .because = {}, .worst = {}};
}

const Rule& rule_for(const Contract& contract, const std::string& path) {
  for (const auto& [of, rule] : contract.except)
    if (of == path) return rule;
  return contract.rule;
}

// The first refusal, else the judgement whose worst element came nearest to its bound.
class Sum {
 public:
  void add(Judgement judgement) {
    if (refused()) return;
    if (judgement.verdict != Verdict::kPassed || !sum_.worst || strain(judgement) > strain(sum_))
      sum_ = std::move(judgement);
  }
  bool refused() const { return sum_.verdict != Verdict::kPassed; }
  Judgement finish(const std::string& because) {
    sum_.because = because;
    return std::move(sum_);
  }

 private:
  Judgement sum_;
};

class Judge {
 public:
  Judge(const Task& task, const Args& before, const Args& after, const Results& got, const Expectation& expectation)
      : task_(task), before_(before), after_(after), got_(got), expectation_(expectation) {}

  Judgement run() {
    if (auto fault = structure_fault(got_, expectation_.shaped)) return *fault;
    if (auto fault = structure_of_reference()) throw Error(ErrorKind::kEnvironment, *fault);
    line_up_results();
    judge_results();
    for (const std::string& name : task_.mutates)
      if (before_.given(name)) judge_argument(name);
    return sum_.finish(task_.contract.because);
  }

 private:
  // The reference has to answer in the form of eager; numbers may have become tensors nowhere.
  std::optional<std::string> structure_of_reference() const {
    const auto rights = leaves(expectation_.shaped), values = leaves(expectation_.values);
    if (rights.size() != values.size())
      return fmt::format("'{}': eager gives {} results, the reference {}", task_.name, rights.size(), values.size());
    for (size_t i = 0; i < rights.size(); ++i) {
      const at::Tensor r = as_tensor(*rights[i].value), v = as_tensor(*values[i].value);
      if (r.defined() != v.defined() || (r.defined() && r.sizes() != v.sizes()))
        return fmt::format("'{}': eager gives {} as {}, the reference {}", task_.name, to_text(*rights[i].value),
                           rights[i].path, to_text(*values[i].value));
    }
    return std::nullopt;
  }

  void line_up_results() {
    const auto gots = leaves(got_), rights = leaves(expectation_.shaped), values = leaves(expectation_.values);
    for (size_t i = 0; i < rights.size(); ++i) {
      const at::Tensor right = as_tensor(*rights[i].value);
      if (right.defined())
        outputs_.push_back({.path = rights[i].path,
                            .got = as_tensor(*gots[i].value),
                            .expected = as_tensor(*values[i].value),
                            .eager = right,
                            .dtype = right.scalar_type()});
      else if (to_text(*gots[i].value) != to_text(*rights[i].value))
        sum_.add(refusal(Verdict::kWrongValue, fmt::format("{} is {}, right is {}", rights[i].path,
                                                           to_text(*gots[i].value), to_text(*rights[i].value))));
    }
  }

  void judge_results() {
    take_magnitudes();
    std::vector<const Rule*> of_the_whole;
    for (Output& output : outputs_) {
      const Rule& rule = rule_for(task_.contract, output.path);
      if (!is_elementwise(rule)) {
        if (std::ranges::find(of_the_whole, &rule) == of_the_whole.end()) of_the_whole.push_back(&rule);
        continue;
      }
      sum_.add(compare_output(output, rule));
    }
    if (of_the_whole.empty() || sum_.refused()) return;
    const Results got = wide(in_form_of(got_, expectation_.values));
    const Question question{.before = before_,
                            .after = after_,
                            .expected_after = expectation_.after,
                            .got = got,
                            .expected = expectation_.values};
    for (const Rule* rule : of_the_whole)
      if (!sum_.refused()) sum_.add(compare_answer(*rule, question, outputs_));
  }

  // The main rule's magnitudes, one a result, then one a changed argument that is not a result itself; an exception's
  // is that of its own result.
  void take_magnitudes() {
    if (const auto* rule = std::get_if<Relative>(&task_.contract.rule); rule != nullptr && rule->magnitude) {
      for (const Value& value : rule->magnitude(before_)) magnitudes_.push_back(as_tensor(value));
      if (magnitudes_.size() < outputs_.size())
        throw Error(ErrorKind::kEnvironment,
                    fmt::format("'{}': {} magnitudes for {} results", task_.name, magnitudes_.size(), outputs_.size()));
      for (size_t i = 0; i < outputs_.size(); ++i) outputs_[i].magnitude = magnitudes_[i];
    }
    next_magnitude_ = outputs_.size();
    for (Output& output : outputs_) {
      const Rule& rule = rule_for(task_.contract, output.path);
      if (&rule == &task_.contract.rule) continue;
      const auto* relative = std::get_if<Relative>(&rule);
      output.magnitude =
          relative != nullptr && relative->magnitude ? as_tensor(relative->magnitude(before_).at(0)) : at::Tensor();
    }
  }

  void judge_argument(const std::string& name) {
    const auto befores = leaves(name, before_.at(name)), afters = leaves(name, after_.at(name));
    const auto rights = leaves(name, expectation_.after.at(name));
    for (size_t i = 0; i < befores.size() && !sum_.refused(); ++i) {
      const auto* before = befores[i].value->as<at::Tensor>();
      if (before != nullptr)
        judge_argument(befores[i].path, *before, *afters[i].value->as<at::Tensor>(),
                       *rights[i].value->as<at::Tensor>());
    }
  }

  void judge_argument(const std::string& path, const at::Tensor& before, const at::Tensor& after,
                      const at::Tensor& expected) {
    if (const Output* result = result_in(expected)) {
      if (!same_values(after, result->got))
        sum_.add(refusal(Verdict::kWrongValue,
                         fmt::format("the argument '{}' does not hold what was returned as {}", path, result->path)));
      return;
    }
    if (same_values(before, expected)) {
      if (!same_values(after, before))
        sum_.add(refusal(Verdict::kMutatedInput,
                         fmt::format("changed the argument '{}', which this call leaves as it is", path)));
      return;
    }
    const Rule& rule = rule_for(task_.contract, path);
    if (!is_elementwise(rule)) return;  // its function sees the arguments itself
    Output output{.path = path, .got = after, .expected = expected, .eager = {}, .dtype = before.scalar_type()};
    if (next_magnitude_ < magnitudes_.size()) output.magnitude = magnitudes_[next_magnitude_++];
    sum_.add(compare_output(output, rule));
  }

  // The result that the reference returned in this very tensor (out=, inplace=True).
  const Output* result_in(const at::Tensor& argument) const {
    for (const Output& output : outputs_)
      if (argument.numel() > 0 && output.expected.const_data_ptr() == argument.const_data_ptr() &&
          output.expected.sizes() == argument.sizes() && output.expected.strides() == argument.strides())
        return &output;
    return nullptr;
  }

  const Task& task_;
  const Args &before_, &after_;
  const Results& got_;
  const Expectation& expectation_;
  std::vector<Output> outputs_;
  std::vector<at::Tensor> magnitudes_;
  size_t next_magnitude_ = 0;
  Sum sum_;
};

}  // namespace

Expectation expect(const Task& task, const Args& args) {
  Args own = args.map_tensors(wide_copy);
  Results values = task.reference(own);
  return {.shaped = eager_results(task, args), .values = std::move(values), .after = std::move(own)};
}

Judgement judge(const Task& task, const Args& before, const Args& after, const Results& got,
                const Expectation& expectation) {
  return Judge(task, before, after, got, expectation).run();
}

bool published_agrees(const Results& got, const Results& shaped) {
  if (structure_fault(got, shaped)) return false;
  const auto gots = leaves(got), rights = leaves(shaped);
  for (size_t i = 0; i < rights.size(); ++i) {
    const at::Tensor right = as_tensor(*rights[i].value);
    if (!right.defined()) {
      if (to_text(*gots[i].value) != to_text(*rights[i].value)) return false;
      continue;
    }
    const Output output{.path = rights[i].path,
                        .got = as_tensor(*gots[i].value),
                        .expected = right,
                        .eager = right,
                        .dtype = right.scalar_type()};
    if (compare_close(output).verdict != Verdict::kPassed) return false;
  }
  return true;
}

bool is_elementwise(const Rule& rule) {
  return std::holds_alternative<Exact>(rule) || std::holds_alternative<Close>(rule) ||
         std::holds_alternative<Relative>(rule) || std::holds_alternative<Optimiser>(rule);
}

Judgement compare_output(const Output& output, const Rule& rule) {
  if (const auto* exact = std::get_if<Exact>(&rule)) return compare_exact(output, *exact);
  if (const auto* relative = std::get_if<Relative>(&rule)) return compare_relative(output, *relative);
  if (const auto* optimiser = std::get_if<Optimiser>(&rule)) return compare_optimiser(output, *optimiser);
  return compare_close(output);
}

Judgement compare_answer(const Rule& rule, const Question& question, const std::vector<Output>& outputs) {
  if (const auto* invariants = std::get_if<Invariants>(&rule))
    return compare_invariants(*invariants, question, outputs);
  if (const auto* quantised = std::get_if<Quantised>(&rule))
    return compare_quantised(*quantised, question.before, outputs);
  return compare_distribution(std::get<Distribution>(rule), question, outputs);
}

}  // namespace kbx
