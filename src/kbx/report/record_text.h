// SPDX-License-Identifier: Apache-2.0
// All of one record, for people: what `kbx replay` prints.
#pragma once

#include <string>

#include "kbx/record/record.h"
#include "kbx/report/text.h"

namespace kbx {

std::string record_text(const Record& record, const Style& style);

}  // namespace kbx
