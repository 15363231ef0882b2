// SPDX-License-Identifier: Apache-2.0
// A task's signature in Python's own notation, as prompts show it: "gelu(input, approximate='none')". It names the
// entry point, gives the defaults, and decides how a call is written: parameters without a default go by position,
// given ones with a default by keyword.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbx/task/value.h"

namespace kbx {

struct Parameter {
  std::string name;
  bool variadic = false;          // *size
  bool keyword_only = false;      // stands behind "*" or "*size"
  std::optional<Value> fallback;  // the default, where there is one
};

class Signature {
 public:
  // Throws std::invalid_argument with the place of the fault.
  explicit Signature(std::string_view text);

  const std::string& text() const { return text_; }
  const std::string& entry() const { return entry_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const Parameter* find(std::string_view name) const;

 private:
  std::string text_;
  std::string entry_;
  std::vector<Parameter> parameters_;
};

}  // namespace kbx
