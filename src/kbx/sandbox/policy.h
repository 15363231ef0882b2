// SPDX-License-Identifier: Apache-2.0
// What a guest may reach and how much it may use. Whatever is not listed is refused: a path left out here is a path
// that no submission can read, so the lists hold what Python, torch, Triton and CUDA need and nothing of the judge's.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kbx::sandbox {

struct User {
  uid_t uid;
  gid_t gid;
};

struct Policy {
  // Files and folders (with all below them). A path that does not exist is skipped, and the report names it.
  std::vector<std::string> readable;  // read, list, execute
  std::vector<std::string> writable;  // everything but making device nodes: the scratch folder. It must exist
  std::vector<std::string> devices;   // open for reading and writing, ioctl

  // Limits of a process, 0 for none.
  uint64_t file_bytes = uint64_t{1} << 30;  // the largest file it can write, memfds included
  uint64_t data_bytes = 0;  // private writable memory. None under CUDA, which reserves far more than it uses
  uint64_t open_files = 1024;
  uint64_t processes = 256;  // processes and threads that the guest can add to those that its user has when it starts

  std::optional<User>
      user;  // whom a guest of root's becomes. The scratch folder must be theirs, the interpreter readable
  bool unsafe_off = false;  // no sandbox at all: the explicit flag
};

// What every guest needs of the system, of what this machine has: system libraries and programs, /proc, /sys, harmless
// device nodes, and with gpu the driver's. The caller adds the interpreter's folders and the scratch folder.
// Of /usr/local only lib and the GPU vendor's folders are in it: the judge may be installed in its bin.
Policy system_policy(bool gpu);

}  // namespace kbx::sandbox
