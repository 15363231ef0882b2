// SPDX-License-Identifier: Apache-2.0
// What a process is allowed by who it is: its user, its capabilities, and who may look into its memory.
#pragma once

#include "kbx/sandbox/policy.h"
#include "kbx/sandbox/report.h"

namespace kbx::sandbox {

Entry change_user(const User& user);
Entry forbid_new_privileges();
Entry drop_capabilities();  // needs no_new_privs, without which a program of root's regains them
Entry close_memory();       // not dumpable, until it executes another program

}  // namespace kbx::sandbox
