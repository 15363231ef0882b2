// SPDX-License-Identifier: Apache-2.0
// Tries something in a child process, so that whatever comes of it (a signal, a new session, a mount) stays there.
#pragma once

#include <functional>
#include <string>

namespace kbx::sandbox {

struct Outcome {
  int error = 0;             // errno, 0 when the act succeeded
  int signal = 0;            // what ended the child, 0 when it came to its end
  bool core = false;         // it left a core dump
  std::string text() const;  // "succeeded", "EPERM", "killed by SIGSYS"
};

// act returns 0 or an errno value. An exception in it counts as ENOTRECOVERABLE and is printed.
Outcome in_child(const std::function<int()>& act);

}  // namespace kbx::sandbox
