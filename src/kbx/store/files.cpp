// SPDX-License-Identifier: Apache-2.0
#include "kbx/store/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "kbx/base/error.h"

namespace kbx {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw Error(ErrorKind::kEnvironment, path.string() + ": " + what + ": " + std::strerror(errno));
}

}  // namespace

Fd open_file(const std::filesystem::path& path, int flags, unsigned mode) {
  Fd file(::open(path.c_str(), flags | O_CLOEXEC, mode));
  if (!file.valid()) fail(path, "cannot open");
  return file;
}

void write_all(const Fd& file, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path, "cannot write");
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

void replace_file(const std::filesystem::path& path, std::string_view bytes, unsigned mode) {
  const std::filesystem::path beside = path.string() + ".new";
  {
    const Fd file = open_file(beside, O_WRONLY | O_CREAT | O_TRUNC, mode);
    if (::fchmod(file.get(), mode) != 0) fail(beside, "cannot set its mode");
    write_all(file, bytes, beside);
  }
  if (std::rename(beside.c_str(), path.c_str()) != 0) fail(path, "cannot replace");
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, "cannot read");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace kbx
