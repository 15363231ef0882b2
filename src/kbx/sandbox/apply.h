// SPDX-License-Identifier: Apache-2.0
// Puts the calling process into the sandbox, for good: there is no way out, and what it forks or executes inherits it.
// Call it with one thread, after everything trusted is loaded and before the submission is.
#pragma once

#include "kbx/sandbox/policy.h"
#include "kbx/sandbox/report.h"

namespace kbx::sandbox {

// A mechanism that the machine lacks becomes an entry of the report. One that it has but that fails half-way, a missing
// scratch folder or a second thread (it would stay outside) is a kbx::Error(kEnvironment): the process must then end.
Report apply(const Policy& policy);

}  // namespace kbx::sandbox
