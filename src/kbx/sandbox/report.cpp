// SPDX-License-Identifier: Apache-2.0
#include "kbx/sandbox/report.h"

#include <algorithm>

namespace kbx::sandbox {

std::string_view name(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::kNoNewPrivileges:
      return "no_new_privileges";
    case Mechanism::kUser:
      return "user";
    case Mechanism::kCapabilities:
      return "capabilities";
    case Mechanism::kMemory:
      return "memory";
    case Mechanism::kCoreDumps:
      return "core_dumps";
    case Mechanism::kFileSize:
      return "file_size";
    case Mechanism::kOpenFiles:
      return "open_files";
    case Mechanism::kDataSize:
      return "data_size";
    case Mechanism::kProcesses:
      return "processes";
    case Mechanism::kFiles:
      return "files";
    case Mechanism::kNetwork:
      return "network";
    case Mechanism::kSignals:
      return "signals";
    case Mechanism::kSystemCalls:
      return "system_calls";
  }
  return "unknown";
}

bool Report::enforces(Mechanism mechanism) const {
  return std::ranges::any_of(entries, [&](const Entry& e) { return e.mechanism == mechanism && e.enforced; });
}

}  // namespace kbx::sandbox
