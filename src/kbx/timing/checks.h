// SPDX-License-Identifier: Apache-2.0
// Whether what a guest claims of its time can be believed: named checks, pure functions over what was recorded. A
// guest's process reads its own events; none of these asks it for its word alone. docs/measuring.md lists which attack
// each meets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbx/timing/size_timing.h"

namespace kbx::timing {

struct Check {
  enum class Outcome {
    kPassed,
    kRemarked,   // shown beside the number, changes nothing
    kDisturbed,  // the measurement is in doubt, not the submission: repeat it, then mark it
    kFailed,     // the submission's timing is suspect
    kNotTold,    // could not be told here; detail says why
  };
  std::string name;
  Outcome outcome = Outcome::kPassed;
  std::optional<double> value, limit;
  std::string detail = {};  // one sentence; empty when passed
};
std::string_view name_of(Check::Outcome outcome);  // "passed", "remarked", "disturbed", "failed", "not told"

// What the judge knows beside the rounds.
struct Evidence {
  const SizeTiming& timing;
  double quantum_us = 0;
  double launch_floor_us = 0;
  // The baseline by itself, before the guest was started and after it was gone.
  std::optional<double> base_before_us = {}, base_after_us = {};
  std::optional<double> strict_floor_us = {};  // below it the hardware does not go (hardware.h)
  // Of the guest's process, as the judge counts them, when measuring began and when it ended.
  std::optional<size_t> threads_before = {}, threads_after = {};
  bool stream_changed = false;       // the current stream after a call was not the one before
  size_t programmatic_launches = 0;  // launches that may begin before the work ahead of them has ended
};

// In the order in which a reader should see them. Every name occurs once.
std::vector<Check> checks_of(const Evidence& evidence);

// The first failed check in words, for a record's reason; absent when none failed.
std::optional<std::string> suspicion(const std::vector<Check>& checks);
bool disturbed(const std::vector<Check>& checks);

}  // namespace kbx::timing
