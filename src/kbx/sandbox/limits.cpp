// SPDX-License-Identifier: Apache-2.0
#include "kbx/sandbox/limits.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "kbx/base/error.h"
#include "kbx/base/fd.h"

namespace kbx::sandbox {
namespace {

using Resource = decltype(RLIMIT_CORE);

// Never above the hard limit that is there already.
Entry limit(Mechanism mechanism, Resource resource, uint64_t most) {
  struct rlimit limits {};
  ::getrlimit(resource, &limits);
  limits.rlim_max = limits.rlim_cur = std::min<rlim_t>(limits.rlim_max, most);
  if (::setrlimit(resource, &limits) != 0)
    throw Error(ErrorKind::kEnvironment,
                "sandbox: limit of " + std::string(name(mechanism)) + ": " + std::strerror(errno));
  return {mechanism, true, "rlimit " + std::to_string(limits.rlim_cur)};
}

Entry limit_processes(uint64_t more) {
  // Root of a user namespace counts as well as any user; only the machine's own root does not.
  if (::getuid() == 0)
    return {Mechanism::kProcesses, false, "rlimit: the kernel exempts root; run kbx as another user"};
  return limit(Mechanism::kProcesses, RLIMIT_NPROC, tasks_of(::getuid()) + more);
}

// The number behind a key of /proc/PID/status.
uint64_t field(std::string_view status, std::string_view key) {
  const size_t at = status.find(key);
  if (at == std::string_view::npos) return 0;
  uint64_t value = 0;
  std::from_chars(status.data() + at + key.size(), status.data() + status.size(), value);
  return value;
}

}  // namespace

uint64_t tasks_of(uid_t user) {
  uint64_t tasks = 0;
  std::array<char, 4096> buffer{};
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    if (entry.path().filename().native().find_first_not_of("0123456789") != std::string::npos) continue;
    const Fd fd(::open((entry.path() / "status").c_str(), O_RDONLY | O_CLOEXEC));
    const ssize_t n = fd.valid() ? ::read(fd.get(), buffer.data(), buffer.size()) : 0;
    if (n <= 0) continue;  // gone since
    const std::string_view status(buffer.data(), static_cast<size_t>(n));
    if (field(status, "\nUid:\t") == user) tasks += field(status, "\nThreads:\t");
  }
  return tasks;
}

std::vector<Entry> set_limits(const Policy& policy) {
  // One byte, not zero: too small for a core file, and the one value that also keeps the kernel from starting the
  // program that a core_pattern with a pipe names (core(5)).
  std::vector<Entry> entries{limit(Mechanism::kCoreDumps, RLIMIT_CORE, 1)};
  if (policy.file_bytes) entries.push_back(limit(Mechanism::kFileSize, RLIMIT_FSIZE, policy.file_bytes));
  if (policy.open_files) entries.push_back(limit(Mechanism::kOpenFiles, RLIMIT_NOFILE, policy.open_files));
  if (policy.data_bytes) entries.push_back(limit(Mechanism::kDataSize, RLIMIT_DATA, policy.data_bytes));
  if (policy.processes) entries.push_back(limit_processes(policy.processes));
  return entries;
}

}  // namespace kbx::sandbox
