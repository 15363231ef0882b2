// SPDX-License-Identifier: Apache-2.0
// The catalogue as data: what `kbx-judge --catalog` prints and tasks/catalog.json holds, so that kbx, prompts and
// exports know the tasks without torch. Nothing is drawn for it.
#pragma once

#include <nlohmann/json.hpp>

#include "kbx/task/task.h"

namespace kbx {

// One object a task, sorted by category and name.
nlohmann::json catalog();
nlohmann::json catalog_entry(const Task& task);

}  // namespace kbx
