// SPDX-License-Identifier: Apache-2.0
// Never two timings on one card: a lock that every kbx on the machine honours, whoever runs it. It is the kernel's lock
// on an open file, so it ends with its process however that ends.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "kbx/base/fd.h"

namespace kbx::timing {

class DeviceLock {
 public:
  // Absent when somebody else has it. uuid: the card's. Throws kbx::Error(kEnvironment) when the file cannot be opened.
  static std::optional<DeviceLock> try_lock(const std::string& uuid, const std::filesystem::path& folder = "/tmp");
  // Waits.
  static DeviceLock lock(const std::string& uuid, const std::filesystem::path& folder = "/tmp");

 private:
  explicit DeviceLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace kbx::timing
