// SPDX-License-Identifier: Apache-2.0
#include "kbx/check/catalog_check.h"

#include <chrono>

#include "kbx/base/error.h"
#include "kbx/check/catalog_faults.h"
#include "kbx/check/gate.h"
#include "kbx/task/registry.h"

namespace kbx {
namespace {

const char* name_of(NullOutcome::Kind kind) {
  switch (kind) {
    case NullOutcome::Kind::kRefused:
      return "refused";
    case NullOutcome::Kind::kAccepted:
      return "accepted";
    case NullOutcome::Kind::kAbsent:
      return "absent";
    case NullOutcome::Kind::kRight:
      return "right";
  }
  return "";
}

nlohmann::json checked(const Task& task, std::string_view seed) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> faults = faults_of_form(task);
  GateResult result;
  if (faults.empty()) result = gate(task, seed);  // what cannot be called cannot be judged
  faults.insert(faults.end(), result.faults.begin(), result.faults.end());
  nlohmann::json nulls = nlohmann::json::array();
  for (const NullOutcome& null : result.nulls)
    nulls.push_back({{"name", null.name}, {"kind", name_of(null.kind)}, {"detail", null.detail}});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {{"name", task.name}, {"category", task.category}, {"seconds", seconds}, {"nulls", nulls}, {"faults", faults}};
}

}  // namespace

void check_catalog(std::string_view seed, const std::vector<std::string>& names,
                   const std::function<void(const nlohmann::json&)>& report) {
  std::vector<const Task*> tasks;
  for (const std::string& name : names) {
    tasks.push_back(Registry::global().find(name));
    if (tasks.back() == nullptr)
      throw Error(ErrorKind::kUsage, "there is no task '" + name + "'", "kbx tasks lists them");
  }
  for (const Task* task : names.empty() ? Registry::global().all() : tasks) report(checked(*task, seed));
}

}  // namespace kbx
