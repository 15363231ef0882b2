// SPDX-License-Identifier: Apache-2.0
#include "kbx/sandbox/system_calls.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "kbx/sandbox/privileges.h"
#include "kbx/sandbox/testing.h"

namespace kbx::sandbox {
namespace {

using testing::error_of;
using testing::opened;

constexpr int kAnyLandlock = kAbiQuiet;

// What comes of an act under the filter alone.
std::string filtered(const std::function<int()>& act, int landlock_abi = kAnyLandlock) {
  return in_child([&] {
           forbid_new_privileges();
           if (!filter_system_calls(landlock_abi).filtered) return ENOSYS;
           return act();
         })
      .text();
}

template <class... Args>
std::string call(long number, Args... args) {
  return filtered([=] { return error_of(::syscall(number, args...)); });
}

TEST(SystemCalls, OtherProcesses) {
  EXPECT_EQ(call(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0), "EPERM");
  EXPECT_EQ(call(SYS_process_vm_readv, ::getpid(), nullptr, 0, nullptr, 0, 0), "EPERM");
  EXPECT_EQ(call(SYS_process_vm_writev, ::getpid(), nullptr, 0, nullptr, 0, 0), "EPERM");
  EXPECT_EQ(call(438 /* pidfd_getfd */, -1, 0, 0), "EPERM");
  EXPECT_EQ(call(SYS_kcmp, 0, 0, 0, 0, 0), "EPERM");
}

TEST(SystemCalls, LimitsAndSchedulingOfOthersAlone) {
  EXPECT_EQ(filtered([] { return error_of(::prlimit(::getppid(), RLIMIT_CORE, nullptr, nullptr)); }), "EPERM");
  EXPECT_EQ(filtered([] {
              rlimit limits{};
              return error_of(::getrlimit(RLIMIT_CORE, &limits));
            }),
            "succeeded");
  const auto move = [](pid_t process) {
    cpu_set_t set;
    ::sched_getaffinity(0, sizeof set, &set);
    return error_of(::sched_setaffinity(process, sizeof set, &set));
  };
  EXPECT_EQ(filtered([=] { return move(::getppid()); }), "EPERM");
  EXPECT_EQ(filtered([=] { return move(0); }), "succeeded");
  EXPECT_EQ(filtered([] { return error_of(::setpriority(PRIO_PROCESS, static_cast<id_t>(::getppid()), 19)); }),
            "EPERM");
  EXPECT_EQ(filtered([] { return error_of(::setpriority(PRIO_USER, 0, 19)); }), "EPERM");
  EXPECT_EQ(filtered([] { return error_of(::setpriority(PRIO_PROCESS, 0, 19)); }), "succeeded");
}

TEST(SystemCalls, ProcessGroup) {
  EXPECT_EQ(call(SYS_setsid), "EPERM");
  EXPECT_EQ(call(SYS_setpgid, 0, 0), "EPERM");
}

TEST(SystemCalls, Sockets) {
  for (const int family : {AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK, AF_ALG})
    EXPECT_EQ(call(SYS_socket, family, SOCK_DGRAM, 0), "EPERM") << "family " << family;
  EXPECT_EQ(call(SYS_socket, AF_INET, SOCK_STREAM, 0), "EPERM");
  EXPECT_EQ(call(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "EPERM");
  EXPECT_EQ(call(SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, nullptr), "EPERM");
  EXPECT_EQ(call(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), "succeeded");
  EXPECT_EQ(call(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "succeeded");
  EXPECT_EQ(call(SYS_connect, -1, nullptr, 0), "EPERM");
  EXPECT_EQ(filtered([] {
              int pair[2];
              return error_of(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
            }),
            "succeeded");
}

TEST(SystemCalls, Namespaces) {
  EXPECT_EQ(call(SYS_unshare, CLONE_NEWUSER), "EPERM");
  EXPECT_EQ(call(SYS_unshare, 0), "EPERM");
  EXPECT_EQ(call(SYS_setns, -1, 0), "EPERM");
  EXPECT_EQ(call(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, 0), "EPERM");
  EXPECT_EQ(call(SYS_clone, CLONE_NEWUSER | CLONE_NEWPID | SIGCHLD, nullptr, nullptr, nullptr, 0), "EPERM");
  EXPECT_EQ(call(435 /* clone3 */, nullptr, 0), "ENOSYS");
}

TEST(SystemCalls, FileSystemsAndMetadata) {
  testing::Place place;
  const std::string secret = place.secret();
  EXPECT_EQ(call(SYS_mount, "none", place.scratch().c_str(), "tmpfs", 0, nullptr), "EPERM");
  EXPECT_EQ(call(SYS_umount2, "/no/such/folder", 0), "EPERM");
  EXPECT_EQ(call(SYS_chroot, "/no/such/folder"), "EPERM");
  EXPECT_EQ(call(SYS_pivot_root, "/no/such/folder", "/no/such/folder"), "EPERM");
  EXPECT_EQ(call(SYS_open_by_handle_at, -1, nullptr, 0), "EPERM");
  EXPECT_EQ(call(SYS_fchmodat, AT_FDCWD, secret.c_str(), 0600), "EPERM");
  EXPECT_EQ(call(452 /* fchmodat2 */, AT_FDCWD, secret.c_str(), 0600, 0), "EPERM");
  EXPECT_EQ(call(SYS_truncate, secret.c_str(), 0), "EPERM");
  EXPECT_EQ(std::filesystem::file_size(secret), 6);
  const std::string node = place.scratch() + "/node";
  EXPECT_EQ(call(SYS_mknodat, AT_FDCWD, node.c_str(), S_IFCHR | 0600, 0x103), "EPERM");
  EXPECT_EQ(call(SYS_mknodat, AT_FDCWD, node.c_str(), S_IFBLK | 0600, 0x103), "EPERM");
  EXPECT_EQ(call(SYS_mknodat, AT_FDCWD, node.c_str(), S_IFIFO | 0600, 0), "succeeded");
}

TEST(SystemCalls, TheKernelAndTheMachine) {
  for (const long number :
       {SYS_perf_event_open, SYS_bpf, SYS_userfaultfd, 425 /* io_uring_setup */, SYS_keyctl, SYS_add_key,
        SYS_request_key, SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_reboot,
        SYS_settimeofday, SYS_clock_settime, SYS_acct, SYS_quotactl, SYS_swapon, SYS_shmget, SYS_inotify_init1})
    EXPECT_EQ(call(number, -1L, 0L, 0L, 0L, 0L, 0L), "EPERM") << "system call " << number;
  EXPECT_EQ(call(SYS_personality, ADDR_NO_RANDOMIZE), "EPERM");
}

TEST(SystemCalls, TerminalInput) {
  // Also with bits above those that the kernel looks at.
  EXPECT_EQ(call(SYS_ioctl, -1, long{TIOCSTI}, "x"), "EPERM");
  EXPECT_EQ(call(SYS_ioctl, -1, long{TIOCSTI} | (1L << 32), "x"), "EPERM");
  EXPECT_EQ(call(SYS_ioctl, -1, long{FIONREAD}, nullptr), "EBADF") << "other ioctls reach the kernel";
}

#ifdef __x86_64__
TEST(SystemCalls, OtherInstructionSetsEndTheProcess) {
  EXPECT_EQ(call(0x40000000 | SYS_getpid), "killed by SIGSYS") << "x32";
  const std::string with_32_bits = filtered([] {
    long result = 20;  // getpid
    __asm__ volatile("int $0x80" : "+a"(result) : : "memory");
    return 0;
  });
  EXPECT_THAT(with_32_bits, ::testing::AnyOf("killed by SIGSYS", "killed by SIGSEGV"));  // or the kernel has none
}
#endif

TEST(SystemCalls, WhatGuestsNeed) {
  EXPECT_EQ(filtered([] {
              pthread_t thread{};
              const int error = ::pthread_create(
                  &thread, nullptr, [](void* p) { return p; }, nullptr);
              return error != 0 ? error : ::pthread_join(thread, nullptr);
            }),
            "succeeded");
  EXPECT_EQ(filtered([] { return ::system("exit 7") == 7 << 8 ? 0 : ECHILD; }), "succeeded");
  EXPECT_EQ(filtered([] { return error_of(::memfd_create("kbx", 0)); }), "succeeded");
  EXPECT_EQ(filtered([] { return error_of(::raise(0)); }), "succeeded");
}

TEST(SystemCalls, AnOldLandlockLeavesTruncationToTheFilter) {
  testing::Place place;
  const auto empty = [&] { return opened(place.secret(), O_RDONLY | O_TRUNC); };
  EXPECT_EQ(filtered(empty, kAbiTruncate - 1), "EPERM");
  EXPECT_EQ(std::filesystem::file_size(place.secret()), 6);
  EXPECT_EQ(filtered([&] { return opened(place.secret(), O_RDONLY); }, kAbiTruncate - 1), "succeeded");
  EXPECT_EQ(filtered([&] { return opened(place.secret(), O_WRONLY | O_TRUNC); }, kAbiTruncate - 1), "succeeded");
}

TEST(SystemCalls, AnOldLandlockLeavesSignalsToTheFilter) {
  const auto old = [](const std::function<int()>& act) { return filtered(act, kAbiScopes - 1); };
  EXPECT_EQ(old([] { return error_of(::kill(::getppid(), 0)); }), "EPERM");
  EXPECT_EQ(old([] { return error_of(::kill(-1, 0)); }), "EPERM");
  EXPECT_EQ(old([] { return error_of(::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0)); }), "EPERM");
  EXPECT_EQ(old([] { return error_of(::syscall(SYS_tkill, ::getppid(), 0)); }), "EPERM");
  EXPECT_EQ(old([] { return error_of(::fcntl(0, F_SETOWN, ::getppid())); }), "EPERM");
  EXPECT_EQ(old([] { return error_of(::kill(::getpid(), 0)); }), "succeeded");
  EXPECT_EQ(old([] { return error_of(::raise(0)); }), "succeeded");
  EXPECT_EQ(old([] { return ::abort(), 0; }), "killed by SIGABRT");
}

}  // namespace
}  // namespace kbx::sandbox
