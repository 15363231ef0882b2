// SPDX-License-Identifier: Apache-2.0
// What the reader makes of its input: submissions, and problems that are reported as file:line: reason.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace kbx {

struct Submission {
  std::string task;
  std::string category;
  std::string method;
  int64_t round = 0;
  std::optional<int64_t> sample;  // always there once Numbering has placed it
  std::string entry;              // the function to call, where the input names one
  std::string code;               // empty: the task is known, but no code came with it
  std::string file;               // where it was read
  int64_t line = 0;
  nlohmann::json extra = nlohmann::json::object();  // keys of the input line that are not known here

  std::string id() const {
    return task + '/' + method + '/' + std::to_string(round) + '/' + std::to_string(sample.value_or(0));
  }
};

// A part of the input that cannot be used. line is 0 where the whole file is meant.
struct Problem {
  std::string file;
  int64_t line = 0;
  std::string reason;

  std::string text() const { return file + (line > 0 ? ':' + std::to_string(line) : "") + ": " + reason; }
};

}  // namespace kbx
