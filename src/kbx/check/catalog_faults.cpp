// SPDX-License-Identifier: Apache-2.0
#include "kbx/check/catalog_faults.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kbx/check/check.h"
#include "kbx/check/gate.h"
#include "kbx/check/structure.h"
#include "kbx/task/families.h"

namespace kbx {
namespace {

class FormFaults {
 public:
  explicit FormFaults(const Task& task) : task_(task) {}

  std::vector<std::string> find() {
    look_at_texts();
    try {
      entry_ = Signature(task_.signature).entry();
      signature_.emplace(call_signature(task_));
    } catch (const std::exception& wrong) {
      note(wrong.what());
      return std::move(faults_);
    }
    look_at_code();
    look_at_arguments("case", task_.cases);
    look_at_arguments("size", task_.sizes);
    for (const std::string& name : task_.mutates)
      if (signature_->find(name) == nullptr) note(fmt::format("mutates '{}', which is no parameter", name));
    look_at_costs();
    return std::move(faults_);
  }

 private:
  void note(std::string fault) { faults_.push_back(std::move(fault)); }
  void need(bool holds, const char* fault) {
    if (!holds) note(fault);
  }

  void look_at_texts() {
    need(!task_.name.empty() && !task_.category.empty(), "has no name or category");
    need(!task_.description.empty(), "has no description");
    need(!task_.contract.because.empty(), "gives no reason for the bounds of its contract");
    need(!task_.cases.empty(), "has no cases");
    need(!task_.sizes.empty(), "has no sizes");
    need(task_.reference != nullptr, "has no reference");
    need(task_.cost != nullptr, "has no cost");
  }

  void look_at_code() {
    if (task_.snippet.find("def " + entry_ + "(") == std::string::npos)
      note(fmt::format("the snippet does not define '{}'", entry_));
    if (task_.wrapper)
      need(task_.wrapper->python.find("def call(entry") != std::string::npos,
           "the wrapper does not define call(entry, ...)");
  }

  ArgRecipes recipes(const Case& c) const { return recipes_of(c, "catalogue", task_.name); }
  const ArgRecipes& recipes(const Size& size) const { return size.args; }

  template <typename Sets>
  void look_at_arguments(const char* kind, const Sets& sets) {
    std::set<std::string> labels;
    for (const auto& set : sets) {
      if (!labels.insert(set.label).second) note(fmt::format("two {}s have the label '{}'", kind, set.label));
      std::set<std::string> given;
      for (const auto& [name, recipe] : recipes(set)) {
        if (signature_->find(name) == nullptr)
          note(fmt::format("{} '{}' gives '{}', which is no parameter", kind, set.label, name));
        if (!given.insert(name).second) note(fmt::format("{} '{}' gives '{}' twice", kind, set.label, name));
      }
      for (const Parameter& parameter : signature_->parameters())
        if (!parameter.fallback && !parameter.variadic && !given.contains(parameter.name))
          note(fmt::format("{} '{}' does not give '{}'", kind, set.label, parameter.name));
    }
  }

  void look_at_costs() {
    if (!faults_.empty()) return;
    double before = 0;
    for (const Size& size : task_.sizes) {
      const double bytes = bytes_moved(size);
      if (bytes <= before) note(fmt::format("size '{}' moves no more bytes than the one before it", size.label));
      before = bytes;
    }
    look_at_cost_of(task_.sizes.front());
  }

  // By the cost on an outline; where the cost depends on values, what the arguments take stands for it.
  double bytes_moved(const Size& size) {
    const Args args = outline(*signature_, size.args);
    try {
      const Cost cost = task_.cost(args);
      return cost.bytes_read + cost.bytes_written;
    } catch (const std::exception&) {
      double bytes = 0;
      for (const auto& [name, value] : args.items())
        for_each_tensor(name, value, [&](const std::string&, const at::Tensor& t) { bytes += bytes_of(t); });
      return bytes;
    }
  }

  void look_at_cost_of(const Size& smallest) {
    const Args args = realise(*signature_, smallest.args, "catalogue", task_.name + "/" + smallest.label);
    const Cost cost = task_.cost(args);
    double written = 0;
    const Expectation right = expect(task_, args);
    // A result that is an argument itself, changed in place: only what changes of it need be written.
    std::set<const void*> arguments;
    for (const auto& [name, value] : right.after.items())
      for_each_tensor(name, value,
                      [&](const std::string&, const at::Tensor& t) { arguments.insert(t.const_data_ptr()); });
    const auto shaped = leaves(right.shaped), values = leaves(right.values);
    for (size_t i = 0; i < shaped.size(); ++i) {
      const at::Tensor t = as_tensor(*shaped[i].value), v = as_tensor(*values.at(i).value);
      if (t.defined() && !arguments.contains(v.const_data_ptr())) written += bytes_of(t);
    }
    need(cost.bytes_read >= 0 && cost.flops >= 0 && cost.matrix_flops >= 0,
         "the cost of the smallest size is negative");
    need(cost.bytes_read + cost.bytes_written > 0, "the smallest size costs nothing");
    need(cost.matrix_flops <= cost.flops, "the cost has more operations of the matrix unit than operations");
    if (cost.bytes_written < written)
      note(fmt::format("the smallest size writes {} bytes by its cost, but its results take {}", cost.bytes_written,
                       written));
  }

  const Task& task_;
  std::string entry_;
  std::optional<Signature> signature_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> faults_of_form(const Task& task) {
  return FormFaults(task).find();
}

std::vector<std::string> faults(const Task& task) {
  std::vector<std::string> out = faults_of_form(task);
  try {
    (void)call_signature(task);
  } catch (const std::invalid_argument&) {
    return out;  // noted above; a task that cannot be called cannot be judged
  }
  for (std::string& fault : gate(task).faults) out.push_back(std::move(fault));
  return out;
}

}  // namespace kbx
