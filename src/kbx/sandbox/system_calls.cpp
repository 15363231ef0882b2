// SPDX-License-Identifier: Apache-2.0
#include "kbx/sandbox/system_calls.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <memory>

#include "kbx/base/error.h"
#include "kbx/sandbox/landlock.h"

namespace kbx::sandbox {
namespace {

// Refused whatever the arguments. A name that the processor or libseccomp does not know is passed over (see kNewer).
constexpr const char* kRefused[] = {
    // Other processes: their memory, their descriptors, their fate.
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp", "pidfd_getfd",
    // Leaving the process group: a kill of the group has to take the whole tree.
    "setsid", "setpgid",
    // A socket file is none of Landlock's business: any service's could be reached, a container daemon's for one.
    "connect",
    // Channels between submissions that outlive their processes.
    "shmget", "semget", "msgget", "mq_open",
    // Modes, owners and times of files: Landlock leaves them to the owner, and a guest owns the interpreter it runs on.
    "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "setxattr", "lsetxattr", "fsetxattr",
    "removexattr", "lremovexattr", "fremovexattr", "utime", "utimes", "futimesat", "utimensat", "truncate",
    // Names of files outside the allow-list.
    "inotify_init", "inotify_init1", "fanotify_init", "name_to_handle_at", "open_by_handle_at", "lookup_dcookie",
    // File systems and namespaces.
    "mount", "umount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick", "move_mount",
    "open_tree", "mount_setattr", "unshare", "setns", "swapon", "swapoff", "quotactl", "quotactl_fd",
    // Large and often broken parts of the kernel that nothing here uses.
    "perf_event_open", "bpf", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "keyctl",
    "add_key", "request_key", "modify_ldt", "vm86", "vm86old", "nfsservctl",
    // The machine.
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot", "settimeofday", "stime",
    "clock_settime", "clock_settime64", "clock_adjtime", "clock_adjtime64", "adjtimex", "acct", "syslog", "sethostname",
    "setdomainname", "iopl", "ioperm", "vhangup",
    // Would switch off the randomised addresses of what it executes.
    "personality"};

// Younger than the oldest libseccomp that is supported. From 424 on, numbers are the same on every processor.
constexpr int kNewer[] = {
    443 /* quotactl_fd */, 448 /* process_mrelease */, 452 /* fchmodat2 */,      460 /* lsm_set_self_attr */,
    463 /* setxattrat */,  466 /* removexattrat */,    467 /* open_tree_attr */, 469 /* file_setattr */};

// The first argument is a process, and only 0, the caller itself, is allowed. setpriority has it second, behind a kind
// of which only 0 (a process) is allowed.
constexpr const char* kOnlyItself[] = {"sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr",
                                       "prlimit64",         "move_pages",         "migrate_pages",  "setpriority"};

// Arguments that the kernel reads as 32 bits are compared as such: the rest of the register is the caller's to choose.
constexpr uint64_t kInt = 0xffffffff;

class Filter {
 public:
  Filter() : context_(::seccomp_init(SCMP_ACT_ALLOW), &::seccomp_release) {
    if (!context_) throw Error(ErrorKind::kEnvironment, "sandbox: seccomp: no filter could be made");
    // Another instruction set's calls (32-bit, x32) have other numbers and would pass unseen.
    set(SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    set(SCMP_FLTATR_CTL_TSYNC, 1);
    // A filter must not slow the guest's processor down (before Linux 5.16 it would switch speculation off): the
    // baseline runs unfiltered, and the guest's own memory holds no secret.
    set(SCMP_FLTATR_CTL_SSB, 1);
    set(SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a tree instead of a chain of comparisons
  }

  template <class... Conditions>
  void refuse(const char* name, Conditions... conditions) {
    const int number = ::seccomp_syscall_resolve_name(name);
    if (number != __NR_SCMP_ERROR) add(EPERM, number, conditions...);
  }

  void refuse(int number) { add(EPERM, number); }
  void pretend_absent(int number) { add(ENOSYS, number); }

  void load() { check(::seccomp_load(context_.get())); }

 private:
  template <class... Conditions>
  void add(uint16_t error, int number, Conditions... conditions) {
    check(::seccomp_rule_add(context_.get(), SCMP_ACT_ERRNO(error), number, sizeof...(conditions), conditions...));
  }

  void set(scmp_filter_attr attribute, uint32_t value) { check(::seccomp_attr_set(context_.get(), attribute, value)); }

  static void check(int result) {
    if (result != 0) throw Error(ErrorKind::kEnvironment, std::string("sandbox: seccomp: ") + std::strerror(-result));
  }

  std::unique_ptr<void, void (*)(scmp_filter_ctx)> context_;
};

scmp_arg_cmp equal(unsigned arg, uint64_t value, uint64_t mask = kInt) {
  return {.arg = arg, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = value};
}

scmp_arg_cmp differs(unsigned arg, uint64_t value) {
  return {.arg = arg, .op = SCMP_CMP_NE, .datum_a = value, .datum_b = 0};
}

// What is left are AF_UNIX sockets of the two kinds that know one peer: streams, and packets, on which the CUDA driver
// listens (cuInit fails without). Datagrams can name a receiver with each message; and as connect is refused, a socket
// of the guest's reaches nobody by itself.
void refuse_sockets(Filter& filter) {
  static_assert(SOCK_STREAM == 1 && SOCK_SEQPACKET == 5);  // all others have one of these bits, or AF_UNIX lacks them
  for (const char* call : {"socket", "socketpair"}) {
    filter.refuse(call, differs(0, AF_UNIX));
    for (const uint64_t bit : {2u, 8u}) filter.refuse(call, equal(1, bit, bit));
  }
}

void refuse_namespaces(Filter& filter) {
  for (const uint64_t flag : std::initializer_list<uint64_t>{CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                                             CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET})
    filter.refuse("clone", equal(0, flag, flag));
  // Its flags lie in memory, out of a filter's sight. The C library falls back to clone.
  filter.pretend_absent(435 /* clone3 */);
}

void refuse_device_nodes(Filter& filter) {
  for (const uint64_t type : std::initializer_list<uint64_t>{S_IFCHR, S_IFBLK}) {
    filter.refuse("mknod", equal(1, type, S_IFMT));
    filter.refuse("mknodat", equal(2, type, S_IFMT));
  }
}

// Typing into the terminal that kbx was started from.
void refuse_terminal_input(Filter& filter) {
  constexpr uint64_t kTiocLinux = 0x541c;
  for (const uint64_t request : std::initializer_list<uint64_t>{TIOCSTI, kTiocLinux})
    filter.refuse("ioctl", equal(1, request));
}

// Before ABI 3 a file that may be read can be emptied by opening it.
void refuse_truncation(Filter& filter) {
  constexpr uint64_t kMask = O_ACCMODE | O_TRUNC;
  filter.refuse("open", equal(1, O_TRUNC, kMask));
  filter.refuse("openat", equal(2, O_TRUNC, kMask));
  filter.pretend_absent(437 /* openat2: its flags lie in memory */);
}

// Before ABI 6 no signal scope: a process may signal itself, and what it forks may not even do that.
void refuse_signals(Filter& filter) {
  const auto self = static_cast<uint64_t>(::getpid());
  for (const char* call : {"kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"})
    filter.refuse(call, differs(0, self));
  filter.refuse("tkill");
  filter.refuse("pidfd_send_signal");
  // A file's owner gets a signal of the caller's choice when the file becomes ready.
  for (const uint64_t command : std::initializer_list<uint64_t>{F_SETOWN, F_SETOWN_EX, F_SETSIG})
    filter.refuse("fcntl", equal(1, command));
}

std::string why_unsupported() {
  const uint32_t action = SECCOMP_RET_ERRNO;
  if (::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0) return {};
  return std::string("seccomp: this kernel or the container around it refuses filters: ") + std::strerror(errno);
}

}  // namespace

SystemCalls filter_system_calls(int landlock_abi) {
  if (std::string why = why_unsupported(); !why.empty()) return {false, std::move(why)};
  Filter filter;
  for (const char* call : kRefused) filter.refuse(call);
  for (const int number : kNewer) filter.refuse(number);
  for (const char* call : kOnlyItself) filter.refuse(call, differs(0, 0));
  filter.refuse("setpriority", differs(1, 0));
  filter.refuse("ioprio_set");
  refuse_sockets(filter);
  refuse_namespaces(filter);
  refuse_device_nodes(filter);
  refuse_terminal_input(filter);
  if (landlock_abi < kAbiTruncate) refuse_truncation(filter);
  if (landlock_abi < kAbiScopes) refuse_signals(filter);
  filter.load();
  return {true, "seccomp"};
}

}  // namespace kbx::sandbox
