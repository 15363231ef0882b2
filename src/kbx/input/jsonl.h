// SPDX-License-Identifier: Apache-2.0
// One line of a predictions file. Known keys: the task from `file` ("Math/abs.py" or "abs"), `task`, or else
// `instruction`; the model's output from `predict`; `method` or `model`; `round` or `iter`; `sample` or `sample_id`;
// `entry`. All others are kept. Any bytes give a submission or the reason why the line cannot be used, in bounded
// stack.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "kbx/input/catalog.h"
#include "kbx/input/submission.h"

namespace kbx {

struct Refused {
  std::string reason;
};

// What a line that does not say gets.
struct Defaults {
  std::string method;
  std::string task;
};

std::variant<Submission, Refused> parse_line(std::string_view line, const Catalog& catalog, const Defaults& defaults);

// The code of a file that is not JSONL: chat text is removed from it as from a prediction.
std::variant<Submission, Refused> parse_code(std::string_view text, const CatalogTask& task, const Defaults& defaults);

// "unknown task "abz"; did you mean abs?"
std::string unknown_task(std::string_view name, const Catalog& catalog);

// Text from outside as it may be printed: cut, escaped, in double quotes.
std::string printable(std::string_view text);

}  // namespace kbx
