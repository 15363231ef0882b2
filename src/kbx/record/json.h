// SPDX-License-Identifier: Apache-2.0
// Records as JSON, the form in which they cross from kbx-judge to kbx and stand in results.jsonl; the schema is
// docs/schema/record.v1.json. Writing never fails: bytes that are not UTF-8 become U+FFFD, and a number that is not
// finite becomes the string "nan", "inf" or "-inf". Top-level keys that are not known here survive reading and writing.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "kbx/record/record.h"

namespace kbx {

void to_json(nlohmann::json& json, const Record& record);
// Throws Error(kInput) on anything that is not a record of this version.
void from_json(const nlohmann::json& json, Record& record);

// One line of results.jsonl, without its newline.
std::string to_line(const Record& record);
Record record_from_line(std::string_view line);

// JSON text that never throws: what is not UTF-8 is replaced.
std::string dump(const nlohmann::json& json, int indent = -1);
// The text with U+FFFD for every byte sequence that is not UTF-8.
std::string as_utf8(std::string_view text);
bool is_utf8(std::string_view text);

}  // namespace kbx
