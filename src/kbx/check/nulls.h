// SPDX-License-Identifier: Apache-2.0
// Null submissions: answers that took no work, or too little. A task that accepts one of them everywhere measures
// nothing. The gate feeds them to the comparator, the attack suite hands the same in as programs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kbx/check/situation.h"

namespace kbx {

struct Null {
  std::string name;
  // The answer in place of the right one; absent where this null does not exist (half of a scalar).
  std::function<std::optional<Results>(const Situation&, const Results& right)> make;
};

// Those that a task with this rule has to refuse.
std::vector<Null> nulls_for(const Rule& rule);

}  // namespace kbx
