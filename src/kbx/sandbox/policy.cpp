// SPDX-License-Identifier: Apache-2.0
#include "kbx/sandbox/policy.h"

#include <glob.h>

#include <initializer_list>

namespace kbx::sandbox {
namespace {

// Files of /etc that the dynamic loader, the C library and Python's pwd read. Nothing else of it.
constexpr const char* kReadable[] = {
    "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/bin", "/usr/sbin", "/usr/include", "/usr/share",
    "/usr/local/lib", "/usr/local/cuda*", "/usr/local/nvidia", "/opt/rocm*",
    // Folders of their own where they are no links into /usr.
    "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
    "/etc/alternatives", "/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/etc/localtime",
    // Landlock lets no guest look into another process through /proc, and only its own folder there is writable.
    "/proc", "/sys"};

constexpr const char* kDevices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};

constexpr const char* kGpuDevices[] = {"/dev/nvidia*", "/dev/kfd", "/dev/dri/renderD*"};

template <size_t n>
void add_existing(const char* const (&patterns)[n], std::vector<std::string>& paths) {
  for (const char* pattern : patterns) {
    glob_t found{};
    if (::glob(pattern, 0, nullptr, &found) == 0)
      paths.insert(paths.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
  }
}

}  // namespace

Policy system_policy(bool gpu) {
  Policy policy;
  add_existing(kReadable, policy.readable);
  add_existing(kDevices, policy.devices);
  if (gpu) add_existing(kGpuDevices, policy.devices);
  return policy;
}

}  // namespace kbx::sandbox
