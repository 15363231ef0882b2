// SPDX-License-Identifier: Apache-2.0
// What keeps a task out of the catalogue. Nothing here needs a GPU, and of the sizes only the smallest is ever drawn.
#pragma once

#include <string>
#include <vector>

#include "kbx/task/task.h"

namespace kbx {

// Faults of form: labels, signature, snippet, texts, sizes, cost.
std::vector<std::string> faults_of_form(const Task& task);

// Faults of judgement. In every case the reference's answer, rounded to the dtypes of the results, and eager's are
// accepted, and one with an element that is off is refused. Over all cases each of the usual wrong answers is refused
// somewhere: zeros, ones, the mean, a copy of an argument, half of the answer, the answer for arguments rounded to
// TF32, the answer for other arguments of the same kind, and for a quantised task the product of floats.
std::vector<std::string> faults_of_judgement(const Task& task);

// The two together.
std::vector<std::string> faults(const Task& task);

}  // namespace kbx
