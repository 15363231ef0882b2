// SPDX-License-Identifier: Apache-2.0
#include "kbx/sandbox/apply.h"

#include <thread>

#include "kbx/base/error.h"
#include "kbx/sandbox/testing.h"

namespace kbx::sandbox {
namespace {

std::string applied(const Policy& policy) {
  return testing::text_of_child([&] {
    std::string lines;
    try {
      for (const Entry& e : apply(policy).entries)
        lines += std::string(name(e.mechanism)) + (e.enforced ? " yes: " : " no: ") + e.reason + "\n";
    } catch (const Error& error) {
      lines = std::string("error: ") + error.what();
    }
    return lines;
  });
}

TEST(Apply, ReportsEveryMechanism) {
  testing::Place place;
  Policy policy = place.policy();
  policy.data_bytes = uint64_t{1} << 50;  // AddressSanitizer reserves terabytes
  if (::geteuid() == 0) policy.user = User{65533, 65533};
  const std::string report = applied(policy);
  for (const char* line :
       {"no_new_privileges yes", "capabilities yes", "memory yes", "core_dumps yes: rlimit 1\n",
        "file_size yes: rlimit 1073741824\n", "open_files yes", "data_size yes", "processes yes", "system_calls yes"})
    EXPECT_NE(report.find(line), std::string::npos) << line << " is not in\n" << report;
  const bool landlock = landlock_support().abi > 0;
  EXPECT_NE(report.find(landlock ? "\nfiles yes: Landlock ABI" : "\nfiles no: Landlock"), std::string::npos) << report;
  EXPECT_NE(report.find("\nnetwork yes"), std::string::npos) << report;
  EXPECT_NE(report.find("\nsignals yes"), std::string::npos) << report;
}

TEST(Apply, ALimitThatIsNotAskedForIsNotReported) {
  testing::Place place;
  Policy policy = place.policy();
  policy.file_bytes = policy.processes = 0;
  const std::string report = applied(policy);
  for (const char* line : {"file_size", "processes", "data_size", "user"})
    EXPECT_EQ(report.find(line), std::string::npos) << line << " is in\n" << report;
}

TEST(Apply, SwitchedOffEnforcesNothing) {
  Policy policy;
  policy.unsafe_off = true;
  const std::string report = applied(policy);
  EXPECT_EQ(report.find(" yes: "), std::string::npos) << report;
  EXPECT_NE(report.find("system_calls no: the sandbox is switched off"), std::string::npos) << report;
}

TEST(Apply, ASecondThreadIsAnError) {
  testing::Place place;
  const std::string thrown = testing::text_of_child([&] {
    std::thread([] { ::pause(); }).detach();
    try {
      apply(place.policy());
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  });
  EXPECT_NE(thrown.find("2 threads"), std::string::npos) << thrown;
}

TEST(Apply, AMissingScratchFolderIsAnError) {
  KBX_NEEDS_LANDLOCK(kAbiFiles);
  Policy policy = system_policy(false);
  policy.writable.emplace_back("/no/such/scratch");
  EXPECT_EQ(applied(policy), "error: sandbox: Landlock, /no/such/scratch: No such file or directory");
}

TEST(SystemPolicy, HoldsOnlyWhatExists) {
  const Policy policy = system_policy(true);
  EXPECT_THAT(policy.readable, ::testing::Contains("/proc"));
  EXPECT_THAT(policy.devices, ::testing::Contains("/dev/null"));
  for (const auto* paths : {&policy.readable, &policy.devices})
    for (const std::string& path : *paths) EXPECT_TRUE(std::filesystem::exists(path)) << path;
  for (const char* path : {"/", "/home", "/root", "/tmp", "/dev", "/dev/shm", "/etc", "/usr", "/usr/local", "/var"})
    EXPECT_THAT(policy.readable, ::testing::Not(::testing::Contains(path)));
}

}  // namespace
}  // namespace kbx::sandbox
