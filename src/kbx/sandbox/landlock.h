// SPDX-License-Identifier: Apache-2.0
// Landlock: an allow-list for the file system that needs no root and no namespace, by its raw system calls, because the
// system's headers may be older than the kernel. Later ABIs add scopes for TCP, ioctls of devices and signals.
#pragma once

#include <string>

#include "kbx/sandbox/policy.h"

namespace kbx::sandbox {

// The ABI that brought each part. From kAbiFiles on, a process inside can neither trace one outside nor read its /proc.
inline constexpr int kAbiFiles = 1;     // Linux 5.13
inline constexpr int kAbiRefer = 2;     // 5.19: links and renames between folders, refused outright before
inline constexpr int kAbiTruncate = 3;  // 6.2
inline constexpr int kAbiTcp = 4;       // 6.7
inline constexpr int kAbiIoctl = 5;     // 6.10: ioctls of device files
inline constexpr int kAbiScopes = 6;    // 6.12: signals and abstract sockets
inline constexpr int kAbiQuiet = 7;     // 6.15: a guest cannot fill the audit log

struct Landlock {
  int abi = 0;         // 0: not there
  std::string reason;  // the ABI and what of the policy was not found, or why there is none
};

// What the kernel offers; restricts nothing.
Landlock landlock_support();

// Restricts the calling thread to the policy's paths. Needs no_new_privs.
Landlock restrict_files(const Policy& policy);

}  // namespace kbx::sandbox
