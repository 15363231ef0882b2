// SPDX-License-Identifier: Apache-2.0
// What a comparison says, of one size and of a task. Nothing is said that the interval does not carry: what cannot be
// told is "no estimate", with the reason, never a 1.0.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kbx/timing/estimate.h"

namespace kbx::timing {

enum class Speed { kFaster, kSlower, kNoDifference, kNoEstimate };
std::string_view name_of(Speed speed);  // "faster", "slower", "no difference", "no estimate"

struct Said {
  Speed speed = Speed::kNoEstimate;
  std::string reason;  // why there is no estimate; empty otherwise
};

// Faster when the whole interval lies above 1.01, slower below 0.99, no difference inside.
Said said_of(const Interval& speedup);
// The same of one size. why_not: what else forbids a verdict (a failed check), empty when nothing does.
Said said_of(const std::optional<Estimate>& estimate, const std::string& why_not = {});

struct SizeOutcome {
  std::string label;
  std::optional<Estimate> estimate;
  std::string why_not = {};  // a size that failed, or whose timing is suspect
};

struct TaskSpeed {
  std::optional<Interval>
      headline;  // sum of baseline times over sum of candidate times: comparable with what is published
  std::optional<Interval> geometric;  // of the sizes' ratios: decides the verdict
  Said said;
};
// Absent unless every size has an estimate: a size left out would flatter whoever failed there.
TaskSpeed task_speed(std::span<const SizeOutcome> sizes);

}  // namespace kbx::timing
