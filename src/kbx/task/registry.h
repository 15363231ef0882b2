// SPDX-License-Identifier: Apache-2.0
// The catalogue. KBX_TASK at file scope stores a name and a function; the Task is built when it is first asked for,
// after main has started, so a bad record is a message and not a crash before it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kbx/task/task.h"

namespace kbx {

using TaskBuilder = Task (*)();

class Registry {
 public:
  static Registry& global();
  void add(std::string_view category, std::string_view name, TaskBuilder builder);
  // Sorted by category, then name. names() builds nothing.
  std::vector<const Task*> all();
  std::vector<std::string> names();
  // nullptr when there is none of this name.
  const Task* find(std::string_view name);

 private:
  struct Entry {
    std::string category, name;
    TaskBuilder builder;
    std::unique_ptr<Task> task;
  };
  const Task& build(Entry& entry);
  std::vector<Entry> entries_;
  std::mutex mutex_;
};

struct TaskRegistration {
  TaskRegistration(const char* category, const char* name, TaskBuilder builder) {
    Registry::global().add(category, name, builder);
  }
};

}  // namespace kbx

// KBX_TASK(Activation, gelu) { return {.signature = ..., ...}; }
#define KBX_TASK(category, name)                                                                 \
  static ::kbx::Task kbx_build_##name();                                                         \
  static const ::kbx::TaskRegistration kbx_register_##name(#category, #name, &kbx_build_##name); \
  static ::kbx::Task kbx_build_##name()
