// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/device_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "kbx/base/error.h"

namespace kbx::timing {
namespace {

[[noreturn]] void fail_to_lock(const std::string& path) {
  throw Error(ErrorKind::kEnvironment, fmt::format("locking the card by {}: {}", path, std::strerror(errno)),
              "remove the file, or make it readable for everybody who times on this machine");
}

std::string lock_path(const std::string& uuid, const std::filesystem::path& folder) {
  std::string name = uuid;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
  return (folder / ("kbx-" + name + ".lock")).string();
}

// Reading is enough for a lock, so a file that another user made serves too. Never through a link.
Fd open_lock(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid()) fd = Fd(::open(path.c_str(), O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!fd.valid()) fail_to_lock(path);
  return fd;
}

}  // namespace

std::optional<DeviceLock> DeviceLock::try_lock(const std::string& uuid, const std::filesystem::path& folder) {
  const std::string path = lock_path(uuid, folder);
  Fd fd = open_lock(path);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return DeviceLock(std::move(fd));
  if (errno == EWOULDBLOCK) return std::nullopt;
  fail_to_lock(path);
}

DeviceLock DeviceLock::lock(const std::string& uuid, const std::filesystem::path& folder) {
  const std::string path = lock_path(uuid, folder);
  Fd fd = open_lock(path);
  while (::flock(fd.get(), LOCK_EX) != 0)
    if (errno != EINTR) fail_to_lock(path);
  return DeviceLock(std::move(fd));
}

}  // namespace kbx::timing
