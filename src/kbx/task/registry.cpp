// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "kbx/base/error.h"

namespace kbx {

Registry& Registry::global() {
  static Registry registry;
  return registry;
}

void Registry::add(std::string_view category, std::string_view name, TaskBuilder builder) {
  const std::lock_guard lock(mutex_);
  Entry entry{.category = std::string(category), .name = std::string(name), .builder = builder, .task = nullptr};
  const auto key = [](const Entry& e) { return std::tie(e.category, e.name); };
  const auto at = std::upper_bound(entries_.begin(), entries_.end(), entry,
                                   [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
  entries_.insert(at, std::move(entry));
}

std::vector<const Task*> Registry::all() {
  const std::lock_guard lock(mutex_);
  std::vector<const Task*> out;
  for (Entry& entry : entries_) out.push_back(&build(entry));
  return out;
}

std::vector<std::string> Registry::names() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const Entry& entry : entries_) out.push_back(entry.name);
  return out;
}

const Task* Registry::find(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.name == name; });
  return at == entries_.end() ? nullptr : &build(*at);
}

// Registration happens before main, where nothing can be thrown: two tasks of one name are found here.
const Task& Registry::build(Entry& entry) {
  if (entry.task) return *entry.task;
  const auto of_this_name =
      std::count_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.name == entry.name; });
  if (of_this_name > 1)
    throw Error(ErrorKind::kEnvironment, fmt::format("{} tasks have the name '{}'", of_this_name, entry.name));
  try {
    auto task = std::make_unique<Task>(entry.builder());
    task->name = entry.name;
    task->category = entry.category;
    entry.task = std::move(task);
  } catch (const std::exception& wrong) {
    throw Error(ErrorKind::kEnvironment,
                fmt::format("the task '{}' ({}) cannot be built: {}", entry.name, entry.category, wrong.what()));
  }
  return *entry.task;
}

}  // namespace kbx
