// SPDX-License-Identifier: Apache-2.0
// tasks/catalog.json, as it was when kbx was built: kbx needs no file beside it.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace kbx {

std::string_view embedded_catalog();
nlohmann::json catalog_json();

}  // namespace kbx
