// SPDX-License-Identifier: Apache-2.0
// What keeps a task out of the catalogue. Nothing here needs a GPU; sizes are never drawn but the smallest.
#pragma once

#include <string>
#include <vector>

#include "kbx/task/task.h"

namespace kbx {

// Faults of form: names, labels, signature, snippet, texts, sizes, cost.
std::vector<std::string> faults_of_form(const Task& task);

// Faults of judgement, case by case: the reference, rounded to the dtypes of the results, and eager are accepted; an
// element that is off is refused. Over all cases: zeros, ones, the mean, a copy of an input, half of the output, inputs
// rounded to TF32 and the result for other inputs of the same kind are each refused somewhere.
std::vector<std::string> faults_of_judgement(const Task& task);

}  // namespace kbx
