// SPDX-License-Identifier: Apache-2.0
// What of the sandbox this machine enforces. Nothing is dropped in silence: each mechanism has its entry, and one that
// is missing has the reason, which kbx prints and stores in the record of every submission.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbx::sandbox {

enum class Mechanism {
  kNoNewPrivileges,  // no gain from setuid programs or file capabilities
  kUser,             // another user than root's
  kCapabilities,     // none left, none to be had
  kMemory,           // not dumpable: its memory is closed to the user's other processes
  kCoreDumps,
  kFileSize,
  kOpenFiles,
  kDataSize,
  kProcesses,
  kFiles,        // allow-list for the file system, and no look into other processes
  kNetwork,      // no TCP
  kSignals,      // none to processes outside
  kSystemCalls,  // deny-list
};

// The name in records and output: "no_new_privileges", ...
std::string_view name(Mechanism mechanism);

struct Entry {
  Mechanism mechanism;
  bool enforced;
  std::string reason;  // by what it is enforced, or why it is not
};

struct Report {
  std::vector<Entry> entries;

  bool enforces(Mechanism mechanism) const;
};

}  // namespace kbx::sandbox
