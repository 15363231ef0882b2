// SPDX-License-Identifier: Apache-2.0
// The gate over the catalogue, as `kbx tasks check` asks for it.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace kbx {

// Calls report with {"name", "category", "seconds", "nulls": [{"name", "kind", "detail"}], "faults": [text]} for each
// task named, or for all of them in the catalogue's order when none is. Throws Error for a name that no task has.
void check_catalog(std::string_view seed, const std::vector<std::string>& names,
                   const std::function<void(const nlohmann::json&)>& report);

}  // namespace kbx
