// SPDX-License-Identifier: Apache-2.0
// What kbx doctor found, for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "kbx/report/text.h"

namespace kbx {

// found: {kbx, kbx_judge, judge: what `kbx-judge --doctor` prints, missing: {message, hint}}.
std::string doctor_text(const nlohmann::json& found, const Style& style);

}  // namespace kbx
