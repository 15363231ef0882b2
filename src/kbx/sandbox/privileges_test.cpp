// SPDX-License-Identifier: Apache-2.0
#include "kbx/sandbox/privileges.h"

#include <sys/prctl.h>

#include <sstream>

#include "kbx/sandbox/testing.h"

namespace kbx::sandbox {
namespace {

using testing::error_of;
using testing::opened;

// A line of /proc/self/status after an act, or of what it executes.
std::string status_after(const std::function<void()>& act, const std::string& key) {
  return testing::text_of_child([&] {
    act();
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with(key + ":")) return line.substr(key.size() + 2);
    return std::string();
  });
}

TEST(Privileges, NoNewOnes) {
  EXPECT_EQ(status_after([] {}, "NoNewPrivs"), "0");
  EXPECT_EQ(status_after([] { forbid_new_privileges(); }, "NoNewPrivs"), "1");
}

TEST(Privileges, NoCapabilitiesAreLeftOrRegained) {
  const auto drop = [] {
    forbid_new_privileges();
    drop_capabilities();
  };
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"})
    EXPECT_EQ(status_after(drop, set), "0000000000000000") << set;
  if (::geteuid() == 0) {
    EXPECT_EQ(status_after(drop, "CapBnd"), "0000000000000000");
  }
  const std::string executed = testing::text_of_child([&] {
    drop();
    std::string text(16, '?');
    FILE* child = ::popen("sed -n 's/^CapEff:.//p' /proc/self/status", "r");
    const size_t n = ::fread(text.data(), 1, text.size(), child);
    ::pclose(child);
    return text.substr(0, n);
  });
  EXPECT_EQ(executed, "0000000000000000");
}

TEST(Privileges, RootWithoutCapabilitiesIsNoLongerRoot) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root";
  const auto chown = [] { return error_of(::chown("/proc/self/comm", 1, 1)); };
  EXPECT_EQ(in_child([&] {
              forbid_new_privileges();
              drop_capabilities();
              return error_of(::sethostname("kbx", 3));
            }).text(),
            "EPERM");
  EXPECT_EQ(in_child([&] {
              forbid_new_privileges();
              drop_capabilities();
              return chown();
            }).text(),
            "EPERM");
}

TEST(Privileges, MemoryIsClosedToTheUsersOtherProcesses) {
  EXPECT_EQ(in_child([] {
              close_memory();
              return ::prctl(PR_GET_DUMPABLE) == 0 ? 0 : EINVAL;
            }).text(),
            "succeeded");
  if (::geteuid() == 0) GTEST_SKIP() << "root's capability opens it all the same";
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t closed = ::fork();
  if (closed == 0) {
    close_memory();
    ::close(ready[1]);
    ::pause();
  }
  ::close(ready[1]);
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 0);
  EXPECT_EQ(opened("/proc/" + std::to_string(closed) + "/mem", O_RDONLY), EACCES);
  ::kill(closed, SIGKILL);
  ::waitpid(closed, nullptr, 0);
  ::close(ready[0]);
}

TEST(Privileges, RootBecomesAnotherUserForGood) {
  if (::geteuid() != 0) {
    EXPECT_FALSE(change_user({65533, 65533}).enforced);
    return;
  }
  const auto change = [] { change_user({65533, 65532}); };
  EXPECT_EQ(status_after(change, "Uid"), "65533\t65533\t65533\t65533");
  EXPECT_EQ(status_after(change, "Gid"), "65532\t65532\t65532\t65532");
  EXPECT_EQ(status_after(change, "CapEff"), "0000000000000000");
  EXPECT_EQ(in_child([&] {
              change();
              return error_of(::setuid(0));
            }).text(),
            "EPERM");
}

}  // namespace
}  // namespace kbx::sandbox
