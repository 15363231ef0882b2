// SPDX-License-Identifier: Apache-2.0
// The deny-list of system calls, by seccomp. It refuses what no kernel submission needs and what Landlock cannot see:
// looking into other processes, leaving the process group, sockets, namespaces, the kernel's risky corners. What is
// refused fails with EPERM; threads, fork, exec and CUDA's ioctls and mappings go on as before.
#pragma once

#include <string>

namespace kbx::sandbox {

struct SystemCalls {
  bool filtered = false;
  std::string reason;
};

// landlock_abi: what Landlock enforces already. What an older one lacks (truncation, signals) is refused here,
// coarsely. Needs no_new_privs. Filters every thread of the process.
SystemCalls filter_system_calls(int landlock_abi);

}  // namespace kbx::sandbox
