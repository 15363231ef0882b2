// SPDX-License-Identifier: Apache-2.0
// For this folder's tests: a place with a scratch folder and something outside it, and text out of a child process.
#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "kbx/sandbox/child.h"
#include "kbx/sandbox/landlock.h"
#include "kbx/sandbox/policy.h"

namespace kbx::sandbox::testing {

class Place {
 public:
  Place() {
    std::string root = (std::filesystem::temp_directory_path() / "kbx_sandbox_test_XXXXXX").string();
    root_ = ::mkdtemp(root.data());
    ::chmod(root_.c_str(), 0755);  // for the tests that become another user
    std::filesystem::create_directories(scratch());
    std::filesystem::create_directories(outside());
    std::ofstream(secret()) << "secret";
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { std::filesystem::remove_all(root_); }

  std::string scratch() const { return root_ + "/scratch"; }
  std::string outside() const { return root_ + "/outside"; }
  std::string secret() const { return outside() + "/secret"; }

  Policy policy() const {
    Policy policy = system_policy(false);
    policy.writable.push_back(scratch());
    return policy;
  }

 private:
  std::string root_;
};

inline int error_of(long result) {
  return result < 0 ? errno : 0;
}
inline int opened(const std::string& path, int flags) {
  return error_of(::open(path.c_str(), flags | O_CLOEXEC, 0600));
}

// What make returns, run in a child.
inline std::string text_of_child(const std::function<std::string()>& make) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "no pipe";
  const pid_t pid = ::fork();
  if (pid == 0) {
    const std::string text = make();
    const ssize_t written = ::write(ends[1], text.data(), text.size());
    ::_exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<size_t>(n));
  ::close(ends[0]);
  ::waitpid(pid, nullptr, 0);
  return text;
}

}  // namespace kbx::sandbox::testing

// Skips a test on a kernel whose Landlock is older than abi.
#define KBX_NEEDS_LANDLOCK(abi_needed)                                                     \
  if (const auto landlock = kbx::sandbox::landlock_support(); landlock.abi < (abi_needed)) \
  GTEST_SKIP() << landlock.reason << "; ABI " << (abi_needed) << " is needed"
