// SPDX-License-Identifier: Apache-2.0
#include "kbx/sandbox/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "kbx/base/error.h"
#include "kbx/base/fd.h"

namespace kbx::sandbox {
namespace {

// Numbers and layouts of the kernel's interface (Documentation/userspace-api/landlock.rst), the same on every
// processor.
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr uint32_t kCreateRulesetVersion = 1;
constexpr int kRulePathBeneath = 1;
constexpr uint32_t kLogSameExecOff = 1;

struct RulesetAttr {
  uint64_t handled_fs;
  uint64_t handled_net;
  uint64_t scoped;
};

struct [[gnu::packed]] PathBeneathAttr {
  uint64_t allowed;
  int32_t parent_fd;
};

constexpr uint64_t kExecute = 1u << 0;
constexpr uint64_t kWriteFile = 1u << 1;
constexpr uint64_t kReadFile = 1u << 2;
constexpr uint64_t kReadDir = 1u << 3;
constexpr uint64_t kMakeChar = 1u << 6;
constexpr uint64_t kMakeBlock = 1u << 11;
constexpr uint64_t kFirstRights = (1u << 13) - 1;
constexpr uint64_t kRefer = 1u << 13;
constexpr uint64_t kTruncate = 1u << 14;
constexpr uint64_t kIoctlDev = 1u << 15;
constexpr uint64_t kFileRights = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDev;
constexpr uint64_t kBindTcp = 1u << 0;
constexpr uint64_t kConnectTcp = 1u << 1;
constexpr uint64_t kScopeAbstractSockets = 1u << 0;
constexpr uint64_t kScopeSignals = 1u << 1;

constexpr uint64_t kReading = kExecute | kReadFile | kReadDir;
constexpr uint64_t kDevice = kReadFile | kWriteFile | kReadDir | kIoctlDev;
constexpr uint64_t kWriting = ~(kMakeChar | kMakeBlock | kIoctlDev);

RulesetAttr everything(int abi) {
  RulesetAttr attr{.handled_fs = kFirstRights, .handled_net = 0, .scoped = 0};
  if (abi >= kAbiRefer) attr.handled_fs |= kRefer;
  if (abi >= kAbiTruncate) attr.handled_fs |= kTruncate;
  if (abi >= kAbiIoctl) attr.handled_fs |= kIoctlDev;
  if (abi >= kAbiTcp) attr.handled_net = kBindTcp | kConnectTcp;
  if (abi >= kAbiScopes) attr.scoped = kScopeAbstractSockets | kScopeSignals;
  return attr;
}

Error landlock_failed(const std::string& what) {
  return {ErrorKind::kEnvironment, "sandbox: Landlock, " + what + ": " + std::strerror(errno)};
}

class Ruleset {
 public:
  explicit Ruleset(const RulesetAttr& attr) : handled_(attr.handled_fs) {
    fd_ = Fd(static_cast<int>(::syscall(kCreateRuleset, &attr, sizeof attr, 0)));
    if (!fd_.valid()) throw landlock_failed("making a ruleset");
  }

  // False when the path cannot be opened; errno says why.
  bool allow(const std::string& path, uint64_t rights) {
    const Fd fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (!fd.valid()) return false;
    allow(fd.get(), path, rights);
    return true;
  }

  void allow(int fd, const std::string& path, uint64_t rights) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) throw landlock_failed(path);
    rights &= handled_;
    if (!S_ISDIR(status.st_mode)) rights &= kFileRights;  // the kernel refuses rights of folders for a file
    const PathBeneathAttr rule{.allowed = rights, .parent_fd = fd};
    if (::syscall(kAddRule, fd_.get(), kRulePathBeneath, &rule, 0) != 0) throw landlock_failed(path);
  }

  void enforce(int abi) {
    const uint32_t flags = abi >= kAbiQuiet ? kLogSameExecOff : 0;
    if (::syscall(kRestrictSelf, fd_.get(), flags) != 0) throw landlock_failed("entering it");
  }

 private:
  uint64_t handled_;
  Fd fd_;
};

// CUDA names its threads through /proc. Only its own folder there becomes writable: files of /proc/sys belong to root,
// and a guest of root's could write them without any capability (core_pattern names a program that the kernel starts).
void allow_own_proc(Ruleset& ruleset) {
  Fd fd(::open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) throw landlock_failed("/proc/self");
  ruleset.allow(fd.get(), "/proc/self", kReading | kWriteFile | kTruncate);
  // Kept open on purpose: the rule hangs on this inode, and /proc makes another one once nobody holds it.
  fd.release();
}

}  // namespace

Landlock landlock_support() {
  const long abi = ::syscall(kCreateRuleset, nullptr, 0, kCreateRulesetVersion);
  if (abi > 0) return {static_cast<int>(abi), "Landlock ABI " + std::to_string(abi)};
  switch (errno) {
    case ENOSYS:
      return {0, "Landlock: this kernel has none (Linux 5.13 and newer can)"};
    case EOPNOTSUPP:
      return {0, "Landlock: switched off when the machine started (its lsm= list lacks landlock)"};
    case EPERM:
      return {0, "Landlock: a filter around this process refuses it (a container's, most likely)"};
    default:
      return {0, std::string("Landlock: ") + std::strerror(errno)};
  }
}

Landlock restrict_files(const Policy& policy) {
  Landlock result = landlock_support();
  if (result.abi == 0) return result;
  Ruleset ruleset(everything(result.abi));
  const auto allow_each = [&](const std::vector<std::string>& paths, uint64_t rights) {
    for (const std::string& path : paths)
      if (!ruleset.allow(path, rights)) result.reason += "; left out " + path + ": " + std::strerror(errno);
  };
  allow_each(policy.readable, kReading);
  allow_each(policy.devices, kDevice);
  allow_own_proc(ruleset);
  for (const std::string& path : policy.writable)
    if (!ruleset.allow(path, kWriting)) throw landlock_failed(path);
  ruleset.enforce(result.abi);
  return result;
}

}  // namespace kbx::sandbox
