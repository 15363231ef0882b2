// SPDX-License-Identifier: Apache-2.0
#include "kbx/sandbox/privileges.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "kbx/base/error.h"

namespace kbx::sandbox {
namespace {

Error failed(const std::string& what) {
  return {ErrorKind::kEnvironment, "sandbox: " + what + ": " + std::strerror(errno)};
}

// The C library has no capget and capset. Version 3 holds 64 capabilities in two halves.
struct Capabilities {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> halves{};
};

// The bounding set is what a program of root's can regain, so it goes first, while there is still a right to it.
void drop_bounding_set() {
  for (unsigned long cap = 0; ::prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; ++cap)
    if (::prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0) throw failed("dropping capability " + std::to_string(cap));
}

}  // namespace

Entry change_user(const User& user) {
  if (::geteuid() != 0) return {Mechanism::kUser, false, "only root can become another user"};
  if (::setgroups(0, nullptr) != 0 || ::setresgid(user.gid, user.gid, user.gid) != 0 ||
      ::setresuid(user.uid, user.uid, user.uid) != 0)
    throw failed("becoming user " + std::to_string(user.uid));
  return {Mechanism::kUser, true, "user " + std::to_string(user.uid)};
}

Entry forbid_new_privileges() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) throw failed("no_new_privs");
  return {Mechanism::kNoNewPrivileges, true, "no_new_privs"};
}

Entry drop_capabilities() {
  Capabilities caps;
  if (::syscall(SYS_capget, &caps.header, caps.halves.data()) != 0) throw failed("reading the capabilities");
  const bool had_any = (caps.halves[0].permitted | caps.halves[1].permitted) != 0;
  if (caps.halves[0].effective & (1u << CAP_SETPCAP)) drop_bounding_set();
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  caps.halves = {};
  if (::syscall(SYS_capset, &caps.header, caps.halves.data()) != 0) throw failed("dropping the capabilities");
  return {Mechanism::kCapabilities, true, had_any ? "dropped" : "there were none"};
}

Entry close_memory() {
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) throw failed("closing its memory");
  return {Mechanism::kMemory, true, "not dumpable"};
}

}  // namespace kbx::sandbox
