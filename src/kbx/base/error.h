// SPDX-License-Identifier: Apache-2.0
// kbx::Error ends a command: it is thrown where the harness cannot go on and caught once, in main. What a submission
// does wrong is never an Error but a verdict in its record.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace kbx {

enum class ErrorKind {
  kUsage,        // the command line is wrong: exit code 2
  kInput,        // some input could not be read: exit code 3
  kEnvironment,  // the machine, an installation or the harness itself failed: exit code 4
};

class Error : public std::runtime_error {
 public:
  // message: what failed and why. hint: what to do next, empty when there is nothing to say.
  Error(ErrorKind kind, const std::string& message, std::string hint = {})
      : std::runtime_error(message), kind_(kind), hint_(std::move(hint)) {}
  ErrorKind kind() const { return kind_; }
  const std::string& hint() const { return hint_; }

 private:
  ErrorKind kind_;
  std::string hint_;
};

}  // namespace kbx
