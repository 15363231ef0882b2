// SPDX-License-Identifier: Apache-2.0
#include "kbx/sandbox/landlock.h"

#include <netinet/in.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "kbx/base/error.h"
#include "kbx/sandbox/privileges.h"
#include "kbx/sandbox/testing.h"

namespace kbx::sandbox {
namespace {

using testing::error_of;
using testing::opened;

class LandlockTest : public ::testing::Test {
 protected:
  void SetUp() override { KBX_NEEDS_LANDLOCK(kAbiFiles); }

  // What comes of an act under Landlock alone.
  std::string restricted(const std::function<int()>& act) const {
    return in_child([&] {
             forbid_new_privileges();
             restrict_files(policy);
             return act();
           })
        .text();
  }

  testing::Place place;
  Policy policy = place.policy();
};

TEST_F(LandlockTest, OpensWhatIsListed) {
  EXPECT_EQ(restricted([&] { return opened(place.scratch() + "/new", O_RDWR | O_CREAT); }), "succeeded");
  EXPECT_EQ(restricted([&] { return opened(place.scratch() + "/new", O_RDWR | O_TRUNC); }), "succeeded");
  EXPECT_EQ(restricted([] { return opened("/usr/lib", O_RDONLY | O_DIRECTORY); }), "succeeded");
  EXPECT_EQ(restricted([] { return opened("/dev/null", O_RDWR); }), "succeeded");
  EXPECT_EQ(restricted([] { return opened("/proc/self/comm", O_WRONLY); }), "succeeded");
}

TEST_F(LandlockTest, RefusesWhatIsNot) {
  EXPECT_EQ(restricted([&] { return opened(place.secret(), O_RDONLY); }), "EACCES");
  EXPECT_EQ(restricted([&] { return opened(place.secret(), O_WRONLY); }), "EACCES");
  EXPECT_EQ(restricted([&] { return opened(place.outside(), O_RDONLY | O_DIRECTORY); }), "EACCES");
  EXPECT_EQ(restricted([&] { return opened(place.outside() + "/new", O_WRONLY | O_CREAT); }), "EACCES");
  EXPECT_EQ(restricted([&] { return error_of(::unlink(place.secret().c_str())); }), "EACCES");
  EXPECT_EQ(restricted([] { return opened("/", O_RDONLY | O_DIRECTORY); }), "EACCES");
}

TEST_F(LandlockTest, ReadableIsNotWritable) {
  policy.readable.push_back(place.outside());
  EXPECT_EQ(restricted([&] { return opened(place.secret(), O_RDONLY); }), "succeeded");
  EXPECT_EQ(restricted([&] { return opened(place.secret(), O_WRONLY); }), "EACCES");
}

TEST_F(LandlockTest, OnlyItsOwnFolderInProcIsWritable) {
  // The first of these would let root's guest name a program for the kernel to start as root.
  if (::geteuid() == 0) {
    EXPECT_EQ(restricted([] { return opened("/proc/sys/kernel/core_pattern", O_WRONLY); }), "EACCES");
  }
  EXPECT_EQ(restricted([] { return opened("/proc/" + std::to_string(::getppid()) + "/comm", O_WRONLY); }), "EACCES");
}

TEST_F(LandlockTest, NoLookIntoProcessesOutside) {
  const std::string parent = "/proc/" + std::to_string(::getpid());
  EXPECT_EQ(restricted([&] { return opened(parent + "/mem", O_RDONLY); }), "EACCES");
  EXPECT_EQ(restricted([&] {
              drop_capabilities();  // CAP_PERFMON reads every environment
              return opened(parent + "/environ", O_RDONLY);
            }),
            "EACCES");
  EXPECT_EQ(restricted([&] { return opened(parent + "/fd/0", O_RDONLY); }), "EACCES");
  EXPECT_EQ(restricted([] { return error_of(::ptrace(PTRACE_SEIZE, ::getppid(), nullptr, nullptr)); }), "EPERM");
}

TEST_F(LandlockTest, NoTruncationOfWhatIsOnlyReadable) {
  KBX_NEEDS_LANDLOCK(kAbiTruncate);
  policy.readable.push_back(place.outside());
  EXPECT_EQ(restricted([&] { return opened(place.secret(), O_RDONLY | O_TRUNC); }), "EACCES");
  EXPECT_EQ(std::filesystem::file_size(place.secret()), 6);
}

TEST_F(LandlockTest, NoTcp) {
  KBX_NEEDS_LANDLOCK(kAbiTcp);
  const auto with_socket = [](auto call) {
    return [call] {
      const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      address.sin_port = htons(9);
      return error_of(call(fd, reinterpret_cast<sockaddr*>(&address), sizeof address));
    };
  };
  EXPECT_EQ(restricted(with_socket(::connect)), "EACCES");
  EXPECT_EQ(restricted(with_socket(::bind)), "EACCES");
}

TEST_F(LandlockTest, NoSignalsToProcessesOutside) {
  KBX_NEEDS_LANDLOCK(kAbiScopes);
  const pid_t sibling = ::fork();
  if (sibling == 0) {
    ::pause();
    ::_exit(0);
  }
  EXPECT_EQ(restricted([=] { return error_of(::kill(sibling, SIGKILL)); }), "EPERM");
  EXPECT_EQ(restricted([] { return error_of(::kill(::getppid(), 0)); }), "EPERM");
  EXPECT_EQ(::waitpid(sibling, nullptr, WNOHANG), 0) << "the sibling is dead";
  ::kill(sibling, SIGKILL);
  ::waitpid(sibling, nullptr, 0);
}

TEST_F(LandlockTest, SignalsToItsOwnChildren) {
  KBX_NEEDS_LANDLOCK(kAbiScopes);
  EXPECT_EQ(restricted([] {
              const pid_t child = ::fork();
              if (child == 0) ::pause();
              const int error = error_of(::kill(child, SIGKILL));
              ::waitpid(child, nullptr, 0);
              return error;
            }),
            "succeeded");
}

TEST_F(LandlockTest, NoAbstractSocketsOfOthers) {
  KBX_NEEDS_LANDLOCK(kAbiScopes);
  const std::string name = std::string(1, '\0') + "kbx_sandbox_test_" + std::to_string(::getpid());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path, name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  const auto connect = [&] {
    return error_of(::connect(::socket(AF_UNIX, SOCK_STREAM, 0), reinterpret_cast<sockaddr*>(&address), size));
  };
  EXPECT_EQ(in_child(connect).text(), "succeeded");
  EXPECT_EQ(restricted(connect), "EPERM");
  ::close(listener);
}

TEST_F(LandlockTest, APathThatIsMissingIsNamed) {
  policy.readable.emplace_back("/no/such/folder");
  const std::string reason = testing::text_of_child([&] {
    forbid_new_privileges();
    return restrict_files(policy).reason;
  });
  EXPECT_NE(reason.find("left out /no/such/folder: No such file"), std::string::npos) << reason;
}

TEST_F(LandlockTest, AScratchFolderThatIsMissingIsAnError) {
  policy.writable.emplace_back("/no/such/scratch");
  const std::string thrown = testing::text_of_child([&] {
    forbid_new_privileges();
    try {
      restrict_files(policy);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  });
  EXPECT_NE(thrown.find("/no/such/scratch"), std::string::npos) << thrown;
}

}  // namespace
}  // namespace kbx::sandbox
