// SPDX-License-Identifier: Apache-2.0
// One timed size as records keep it: an entry of "sizes" in docs/schema/record.v1.json. What is not known has no key.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kbx/timing/calibration.h"
#include "kbx/timing/checks.h"
#include "kbx/timing/hardware.h"
#include "kbx/timing/size_timing.h"
#include "kbx/timing/verdict.h"

namespace kbx::timing {

struct SizeReport {
  const SizeTiming& timing;
  const std::vector<Check>& checks;
  const Calibration& calibration;
  std::string flush;  // mode
  std::optional<Efficiency> efficiency = {};
};
nlohmann::json size_json(const SizeReport& report);

// The record's "speedup" of a task: headline, geometric mean, verdict. Without an estimate only the verdict and its
// reason.
nlohmann::json task_json(const TaskSpeed& speed, size_t sizes);

}  // namespace kbx::timing
