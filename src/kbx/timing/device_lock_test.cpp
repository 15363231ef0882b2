// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/device_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kbx/base/error.h"

namespace kbx::timing {
namespace {

class Lock : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("kbx_lock_" + std::to_string(::getpid()));
};

TEST_F(Lock, OneAtATimeOnACard) {
  auto first = DeviceLock::try_lock("GPU-1", folder_);
  ASSERT_TRUE(first);
  EXPECT_FALSE(DeviceLock::try_lock("GPU-1", folder_));
  EXPECT_TRUE(DeviceLock::try_lock("GPU-2", folder_));
  first.reset();
  EXPECT_TRUE(DeviceLock::try_lock("GPU-1", folder_));
}

TEST_F(Lock, EndsWithItsProcess) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const DeviceLock held = DeviceLock::lock("GPU-1", folder_);
    (void)!::write(ready[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_FALSE(DeviceLock::try_lock("GPU-1", folder_));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(DeviceLock::try_lock("GPU-1", folder_));
}

TEST_F(Lock, FollowsNoLink) {
  const auto target = folder_ / "elsewhere";
  std::filesystem::create_symlink(target, folder_ / "kbx-GPU-1.lock");
  EXPECT_THROW((void)DeviceLock::try_lock("GPU-1", folder_), Error);
  EXPECT_FALSE(std::filesystem::exists(target));
  std::filesystem::create_directory(target);  // nor one that leads somewhere
  EXPECT_THROW((void)DeviceLock::try_lock("GPU-1", folder_), Error);
}

}  // namespace
}  // namespace kbx::timing
