// SPDX-License-Identifier: Apache-2.0
// What a reference answers, written out for whoever computes the same without torch: tests/independent/.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "kbx/task/task.h"

namespace kbx {

// One object a case: label, args, results, after (of the arguments that changed legally: as the reference left them).
// A tensor is {"tensor": [shape], "type": "float" | "complex" | "int" | "bool", "dtype": ..., "hex": its elements in
// order, little-endian as float64, complex128, int64 or bytes}: floating arguments hold exactly the values of their
// dtype. Quantised results are those of the task's first scheme. Cases that hold more than max_elements are left out.
nlohmann::json reference_dump(const Task& task, std::string_view seed, int64_t max_elements);

}  // namespace kbx
