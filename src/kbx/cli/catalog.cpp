// SPDX-License-Identifier: Apache-2.0
#include "kbx/cli/catalog.h"

#include "kbx/base/error.h"

namespace kbx {

nlohmann::json catalog_json() {
  nlohmann::json tasks = nlohmann::json::parse(embedded_catalog(), nullptr, false);
  if (!tasks.is_array())
    throw Error(ErrorKind::kEnvironment, "the task catalogue in this kbx is damaged", "build it anew");
  return tasks;
}

}  // namespace kbx
