// SPDX-License-Identifier: Apache-2.0
#include "kbx/sandbox/self_test.h"

#include <signal.h>

#include <algorithm>

#include "kbx/sandbox/apply.h"
#include "kbx/sandbox/testing.h"

namespace kbx::sandbox {
namespace {

class SelfTest : public ::testing::Test {
 protected:
  void SetUp() override {
    sibling_ = ::fork();
    if (sibling_ == 0) {
      ::pause();
      ::_exit(0);
    }
  }
  void TearDown() override {
    ::kill(sibling_, SIGKILL);
    ::waitpid(sibling_, nullptr, 0);
  }

  SelfTestPaths paths() const {
    return {.scratch = place.scratch(),
            .readable_file = "/etc/ld.so.cache",
            .program = "/bin/true",
            .forbidden_folder = place.outside(),
            .forbidden_file = place.secret(),
            .sibling = sibling_};
  }

  // "act: outcome" of each attempt that `select` picks, one a line, from a guest of a zygote as the judge has them.
  template <class Select>
  std::string attempts(const Policy& policy, Select select) const {
    return testing::text_of_child([&] {
      return testing::text_of_child([&] {
        ::setpgid(0, 0);
        const Report report = apply(policy);
        std::string lines;
        for (const Attempt& a : select(report, self_test(paths(), policy))) lines += a.act + ": " + a.outcome + "\n";
        return lines + "end";
      });
    });
  }

  testing::Place place;
  pid_t sibling_ = -1;
};

TEST_F(SelfTest, FindsNoSurpriseInASandbox) {
  EXPECT_EQ(attempts(place.policy(), surprises), "end");
  EXPECT_EQ(::waitpid(sibling_, nullptr, WNOHANG), 0) << "the sibling is dead";
}

TEST_F(SelfTest, NothingForbiddenSucceeds) {
  KBX_NEEDS_LANDLOCK(kAbiFiles);
  const auto unexpected = [](const Report&, std::vector<Attempt> all) {
    std::erase_if(all, [](const Attempt& a) { return a.as_expected; });
    return all;
  };
  // Root is exempt from the limit of processes, and the report says so.
  const char* known = ::getuid() == 0 ? "start more processes than allowed: succeeded\nend" : "end";
  EXPECT_EQ(attempts(place.policy(), unexpected), known);
}

// The test that the self-test can fail: without a sandbox the acts go through, and they are told as such.
TEST_F(SelfTest, SeesThatThereIsNoSandbox) {
  Policy policy = place.policy();
  policy.unsafe_off = true;
  const auto forbidden = [](const Report&, std::vector<Attempt> all) {
    std::erase_if(all, [](const Attempt& a) { return !a.forbidden || a.as_expected; });
    return all;
  };
  const std::string gone_through = attempts(policy, forbidden);
  for (const char* act :
       {"read a file outside", "list a folder outside", "make a file outside", "write to a file outside",
        "make a file in /dev/shm", "read a file outside through a link", "link a file outside into the scratch folder",
        "change the mode of a file outside", "connect by TCP", "send by UDP", "open an internet socket",
        "connect to a socket file", "set the parent's limits", "move the parent to other processors",
        "signal the parent", "leave the session", "write past the limit of a file", "kill a process outside"})
    EXPECT_NE(gone_through.find(std::string(act) + ": succeeded\n"), std::string::npos) << act << " is not in\n"
                                                                                        << gone_through;
  EXPECT_EQ(::waitpid(sibling_, nullptr, 0), sibling_) << "the sibling lives";
}

TEST_F(SelfTest, SeesWhatAGuestLacks) {
  KBX_NEEDS_LANDLOCK(kAbiFiles);
  Policy policy;  // no system folders
  policy.writable.push_back(place.scratch());
  policy.readable.emplace_back("/proc");
  EXPECT_EQ(attempts(policy, surprises), "read a file of the allow-list: EACCES\nrun a program: EACCES\nend");
}

TEST_F(SelfTest, LeavesTheScratchFolderEmpty) {
  attempts(place.policy(), surprises);
  EXPECT_TRUE(std::filesystem::is_empty(place.scratch()));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place.outside()), {}), 1);
}

TEST(Surprises, AreBrokenPromisesAndWhatAGuestCannotDo) {
  const Report report{{{Mechanism::kFiles, true, ""}, {Mechanism::kSignals, false, ""}}};
  const auto found = surprises(report, {{"a", Mechanism::kFiles, true, false, "succeeded"},
                                        {"b", Mechanism::kFiles, true, true, "EACCES"},
                                        {"c", Mechanism::kSignals, true, false, "succeeded"},
                                        {"d", Mechanism::kSignals, false, false, "EPERM"}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].act, "a");
  EXPECT_EQ(found[1].act, "d");
}

}  // namespace
}  // namespace kbx::sandbox
