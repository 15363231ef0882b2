// SPDX-License-Identifier: Apache-2.0
#include "kbx/sandbox/limits.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdlib>
#include <thread>

#include "kbx/sandbox/privileges.h"
#include "kbx/sandbox/testing.h"

namespace kbx::sandbox {
namespace {

using testing::error_of;

Policy no_limits() {
  Policy policy;
  policy.file_bytes = policy.data_bytes = policy.open_files = policy.processes = 0;
  return policy;
}

std::string limited(const Policy& policy, const std::function<int()>& act) {
  return in_child([&] {
           set_limits(policy);
           return act();
         })
      .text();
}

TEST(Limits, FileSize) {
  testing::Place place;
  Policy policy = no_limits();
  policy.file_bytes = 1000;
  const auto write_at = [&](off_t offset) {
    return [=, path = place.scratch() + "/file"] {
      ::signal(SIGXFSZ, SIG_IGN);
      return error_of(::pwrite(::open(path.c_str(), O_WRONLY | O_CREAT, 0600), "x", 1, offset));
    };
  };
  EXPECT_EQ(limited(policy, write_at(999)), "succeeded");
  EXPECT_EQ(limited(policy, write_at(1000)), "EFBIG");
}

TEST(Limits, OpenFiles) {
  Policy policy = no_limits();
  policy.open_files = 20;
  EXPECT_EQ(limited(policy, [] { return error_of(::dup2(0, 19)); }), "succeeded");
  EXPECT_EQ(limited(policy, [] { return error_of(::dup2(0, 20)); }), "EBADF");
}

TEST(Limits, DataSize) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer reserves terabytes";
#endif
  Policy policy = no_limits();
  policy.data_bytes = uint64_t{1} << 30;
  const auto map = [](size_t bytes) {
    return [=] {
      void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      return p == MAP_FAILED ? errno : 0;
    };
  };
  EXPECT_EQ(limited(policy, map(size_t{1} << 20)), "succeeded");
  EXPECT_EQ(limited(policy, map(size_t{1} << 30)), "ENOMEM");
}

TEST(Limits, CannotBeRaisedAgain) {
  Policy policy = no_limits();
  policy.open_files = 20;
  // Root regains nothing either, once its capabilities are gone.
  EXPECT_EQ(limited(policy,
                    [] {
                      drop_capabilities();
                      const rlimit more{30, 30};
                      return error_of(::setrlimit(RLIMIT_NOFILE, &more));
                    }),
            "EPERM");
}

TEST(Limits, NeverRaiseWhatIsThere) {
  Policy policy = no_limits();
  policy.open_files = 1000000000;
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(limited(policy,
                    [=] {
                      rlimit now{};
                      ::getrlimit(RLIMIT_NOFILE, &now);
                      return now.rlim_max <= before.rlim_max ? 0 : ERANGE;
                    }),
            "succeeded");
}

TEST(Limits, NoCoreDumps) {
  EXPECT_EQ(limited(no_limits(),
                    [] {
                      rlimit limits{};
                      ::getrlimit(RLIMIT_CORE, &limits);
                      return limits.rlim_cur == 1 && limits.rlim_max == 1 ? 0 : ERANGE;
                    }),
            "succeeded");
  EXPECT_EQ(limited(no_limits(), [] { return ::raise(SIGQUIT); }), "killed by SIGQUIT");
}

// Forks until it is refused or `most` live. They end with this process's end of the pipe.
int fork_many(int most) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return errno;
  for (int i = 0; i < most; ++i) {
    const pid_t pid = ::fork();
    if (pid < 0) return errno;
    if (pid == 0) {
      ::close(ends[1]);
      char byte = 0;
      ::_exit(::read(ends[0], &byte, 1) < 0 ? 1 : 0);
    }
  }
  return 0;
}

TEST(Limits, Processes) {
  Policy policy = no_limits();
  policy.processes = 20;
  const auto as_user = [&](int most) {
    return in_child([&] {
             if (::geteuid() == 0) change_user({65533, 65533});  // nobody's but this test's, most likely
             set_limits(policy);
             return fork_many(most);
           })
        .text();
  };
  EXPECT_EQ(as_user(10), "succeeded");
  EXPECT_EQ(as_user(60), "EAGAIN");
}

TEST(Limits, RootIsToldThatProcessesAreNotLimited) {
  if (::getuid() != 0) GTEST_SKIP() << "not root";
  const std::string reason = testing::text_of_child([] {
    const Entry entry = set_limits(Policy{}).back();
    return entry.enforced ? "enforced" : entry.reason;
  });
  EXPECT_NE(reason.find("exempts root"), std::string::npos) << reason;
}

TEST(Limits, CountsThreadsOfTheUser) {
  const uint64_t before = tasks_of(::getuid());
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 50; ++i)
    threads.emplace_back([&] {
      char byte = 0;
      EXPECT_EQ(::read(ends[0], &byte, 1), 0);
    });
  const uint64_t during = tasks_of(::getuid());
  ::close(ends[1]);
  for (std::thread& thread : threads) thread.join();
  ::close(ends[0]);
  EXPECT_GE(before, 1u);
  EXPECT_NEAR(static_cast<double>(during), static_cast<double>(before + 50), 25) << "others come and go";
}

}  // namespace
}  // namespace kbx::sandbox
