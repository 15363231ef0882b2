// SPDX-License-Identifier: Apache-2.0
// The kernel's limits of a process, hard as well as soft. They bound one process each; the memory and the disk of a
// whole tree are for a control group or the judge to watch.
#pragma once

#include <vector>

#include "kbx/sandbox/policy.h"
#include "kbx/sandbox/report.h"

namespace kbx::sandbox {

// One entry a limit that the policy asks for, and one for core dumps, which are always off.
std::vector<Entry> set_limits(const Policy& policy);

// Processes and threads that a user has on this machine.
uint64_t tasks_of(uid_t user);

}  // namespace kbx::sandbox
