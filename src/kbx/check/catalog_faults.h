// SPDX-License-Identifier: Apache-2.0
// What keeps a task out of the catalogue. Nothing here needs a GPU, and of the sizes only the smallest is ever drawn.
#pragma once

#include <string>
#include <vector>

#include "kbx/task/task.h"

namespace kbx {

// Faults of form: labels, signature, snippet, texts, sizes, cost.
std::vector<std::string> faults_of_form(const Task& task);

// Those and the faults that the gate finds (gate.h).
std::vector<std::string> faults(const Task& task);

}  // namespace kbx
