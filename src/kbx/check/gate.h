// SPDX-License-Identifier: Apache-2.0
// What stands between a task and the catalogue: answers that have to be accepted, and answers that have to be refused.
// Nothing here needs a GPU or a guest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kbx/task/task.h"

namespace kbx {

// What became of one null submission (nulls.h).
struct NullOutcome {
  enum class Kind {
    kRefused,   // in the case that detail names
    kAccepted,  // in every case where it is not the answer: a fault
    kAbsent,    // no case has it
    kRight,     // a right answer of this task, for the reason that detail gives
  };
  std::string name;
  Kind kind = Kind::kAbsent;
  std::string detail = {};
};

struct GateResult {
  std::vector<NullOutcome> nulls;
  std::vector<std::string> faults;  // empty: the task may be in the catalogue
};

// In every case the reference's answer, rounded to the dtypes of the results, and eager's are accepted, and one with an
// element that is off is refused. Over all cases each null submission is refused somewhere. seed: of shapes and values.
GateResult gate(const Task& task, std::string_view seed = "catalogue");

}  // namespace kbx
