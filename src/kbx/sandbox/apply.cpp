// SPDX-License-Identifier: Apache-2.0
#include "kbx/sandbox/apply.h"

#include <algorithm>
#include <filesystem>

#include "kbx/base/error.h"
#include "kbx/sandbox/landlock.h"
#include "kbx/sandbox/limits.h"
#include "kbx/sandbox/privileges.h"
#include "kbx/sandbox/system_calls.h"

namespace kbx::sandbox {
namespace {

// Landlock and capabilities belong to a thread. A thread left outside would be a way out, since threads share memory.
void require_one_thread() {
  std::error_code error;
  const auto tasks = std::filesystem::directory_iterator("/proc/self/task", error);
  if (error) throw Error(ErrorKind::kEnvironment, "sandbox: /proc/self/task: " + error.message(), "guests need /proc");
  const auto threads = std::distance(begin(tasks), end(tasks));
  if (threads != 1)
    throw Error(ErrorKind::kEnvironment,
                "sandbox: the process has " + std::to_string(threads) + " threads; it must be entered with one",
                "enter it before anything starts threads, a CUDA context included");
}

Report all_off() {
  Report report;
  for (int i = 0; i <= static_cast<int>(Mechanism::kSystemCalls); ++i)
    report.entries.push_back({static_cast<Mechanism>(i), false, "the sandbox is switched off"});
  return report;
}

Entry by_either(Mechanism mechanism, int abi, const Landlock& landlock, const SystemCalls& calls) {
  if (landlock.abi >= abi) return {mechanism, true, "Landlock ABI " + std::to_string(landlock.abi)};
  if (calls.filtered) return {mechanism, true, calls.reason};
  return {mechanism, false, calls.reason + "; " + landlock.reason + " (ABI " + std::to_string(abi) + " is needed)"};
}

}  // namespace

Report apply(const Policy& policy) {
  if (policy.unsafe_off) return all_off();
  require_one_thread();
  Report report;
  const auto add = [&](Entry entry) { report.entries.push_back(std::move(entry)); };
  if (policy.user) add(change_user(*policy.user));
  add(forbid_new_privileges());
  std::ranges::for_each(set_limits(policy), add);
  add(drop_capabilities());
  add(close_memory());
  const Landlock landlock = restrict_files(policy);
  add({Mechanism::kFiles, landlock.abi >= kAbiFiles, landlock.reason});
  // Last, since it refuses some of what stands above. It covers what this kernel's Landlock does not.
  const SystemCalls calls = filter_system_calls(landlock.abi);
  add(by_either(Mechanism::kNetwork, kAbiTcp, landlock, calls));
  add(by_either(Mechanism::kSignals, kAbiScopes, landlock, calls));
  add({Mechanism::kSystemCalls, calls.filtered, calls.reason});
  return report;
}

}  // namespace kbx::sandbox
