// SPDX-License-Identifier: Apache-2.0
#include "kbx/sandbox/self_test.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iterator>

#include "kbx/base/fd.h"
#include "kbx/sandbox/child.h"

namespace kbx::sandbox {
namespace {

struct Scene {
  SelfTestPaths paths;
  Policy policy;
  pid_t parent;

  std::string in_scratch() const { return paths.scratch + "/kbx_self_test"; }
  std::string outside() const { return paths.forbidden_folder + "/kbx_self_test"; }
  std::string proc_of_parent(const char* name) const { return "/proc/" + std::to_string(parent) + "/" + name; }
};

// What an act returns: 0 or errno. Each undoes what it should not have been able to do.
int error_of(long result) {
  return result < 0 ? errno : 0;
}

int opened(const std::string& path, int flags) {
  return error_of(Fd(::open(path.c_str(), flags, 0600)).get());
}

int listed(const std::string& path) {
  DIR* folder = ::opendir(path.c_str());
  if (folder == nullptr) return errno;
  ::closedir(folder);
  return 0;
}

int created(const std::string& path) {
  const int error = opened(path, O_WRONLY | O_CREAT | O_EXCL);
  if (error == 0) ::unlink(path.c_str());
  return error;
}

int read_through_link(const Scene& scene) {
  const std::string link = scene.in_scratch();
  if (::symlink(scene.paths.forbidden_file.c_str(), link.c_str()) != 0) return errno;
  const int error = opened(link, O_RDONLY);
  ::unlink(link.c_str());
  return error;
}

// EXDEV is Landlock's word for a link that would widen access, and the file system's for one between two of them.
int linked_into_scratch(const Scene& scene) {
  const std::string link = scene.in_scratch();
  const int error = error_of(::link(scene.paths.forbidden_file.c_str(), link.c_str()));
  if (error == 0) ::unlink(link.c_str());
  return error == EXDEV ? EACCES : error;
}

int changed_mode(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return errno;
  return error_of(::chmod(path.c_str(), status.st_mode & 07777));
}

int connected(int type) {
  const Fd fd(::socket(AF_INET, type, 0));
  if (!fd.valid()) return errno;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);  // discard
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int error = error_of(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address));
  return error == ECONNREFUSED ? 0 : error;  // nobody listens, but the way was open
}

int connected_to_socket_file() {
  const Fd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
  if (!fd.valid()) return errno;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy_n("/run/kbx_self_test", sizeof "/run/kbx_self_test", address.sun_path);
  const int error = error_of(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address));
  return error == ENOENT ? 0 : error;
}

// The zygote forked this process, so its memory has the same addresses.
int read_memory_of(pid_t process) {
  static const char kByte = 1;
  char mine = 0;
  iovec local{&mine, 1};
  iovec remote{const_cast<char*>(&kByte), 1};
  return error_of(::process_vm_readv(process, &local, 1, &remote, 1, 0));
}

int took_descriptor_of(pid_t process) {
  const Fd handle(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (!handle.valid()) return errno;
  return error_of(Fd(static_cast<int>(::syscall(438 /* pidfd_getfd */, handle.get(), 0, 0))).get());
}

int lowered_limit_of(pid_t process) {
  rlimit limits{};
  if (::prlimit(process, RLIMIT_CORE, nullptr, &limits) != 0) return errno;
  return error_of(::prlimit(process, RLIMIT_CORE, &limits, nullptr));
}

int moved_to_other_processors(pid_t process) {
  cpu_set_t set;
  if (::sched_getaffinity(process, sizeof set, &set) != 0) return errno;
  return error_of(::sched_setaffinity(process, sizeof set, &set));
}

int opened_perf_event() {
  perf_event_attr attr{};
  attr.type = PERF_TYPE_SOFTWARE;
  attr.size = sizeof attr;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.exclude_kernel = 1;
  return error_of(Fd(static_cast<int>(::syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0))).get());
}

int made_bpf_map() {
  bpf_attr attr{};
  attr.map_type = BPF_MAP_TYPE_ARRAY;
  attr.key_size = 4;
  attr.value_size = 4;
  attr.max_entries = 1;
  return error_of(Fd(static_cast<int>(::syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof attr))).get());
}

int mounted(const std::string& folder) {
  const int error = error_of(::mount("none", folder.c_str(), "tmpfs", 0, nullptr));
  if (error == 0) ::umount(folder.c_str());
  return error;
}

int made_device_node(const Scene& scene) {
  const std::string path = scene.in_scratch();
  const int error = error_of(::mknod(path.c_str(), S_IFCHR | 0600, 0x103));
  if (error == 0) ::unlink(path.c_str());
  return error;
}

int wrote_past_limit(const Scene& scene) {
  const auto before = ::signal(SIGXFSZ, SIG_IGN);  // an error instead of a signal
  const std::string path = scene.in_scratch();
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT, 0600));
  if (!fd.valid()) return errno;
  const int error = error_of(::pwrite(fd.get(), "x", 1, static_cast<off_t>(scene.policy.file_bytes)));
  ::signal(SIGXFSZ, before);
  ::unlink(path.c_str());
  return error;
}

int opened_too_many(const Scene& scene) {
  for (uint64_t i = 0; i <= scene.policy.open_files; ++i)
    if (::dup(STDERR_FILENO) < 0) return errno;
  return 0;
}

// Threads count as processes do, and are cheaper. Half as many again as allowed: others of the user may end meanwhile.
int started_too_many(const Scene& scene) {
  pthread_attr_t attr;
  ::pthread_attr_init(&attr);
  ::pthread_attr_setstacksize(&attr, 64 << 10);
  const auto sleep_for_good = [](void*) -> void* {
    for (;;) ::pause();
  };
  for (uint64_t i = 0; i <= scene.policy.processes * 3 / 2 + 16; ++i) {
    pthread_t thread{};
    if (const int error = ::pthread_create(&thread, &attr, sleep_for_good, nullptr); error != 0) return error;
  }
  return 0;
}

int dumped_core() {
  const Outcome crash = in_child([] {
    ::signal(SIGSEGV, SIG_DFL);
    return ::raise(SIGSEGV) == 0 ? 0 : errno;
  });
  return crash.core ? 0 : EPERM;
}

int wrote_and_read(const Scene& scene) {
  const std::string path = scene.in_scratch();
  const Fd fd(::open(path.c_str(), O_RDWR | O_CREAT, 0600));
  if (!fd.valid()) return errno;
  ::unlink(path.c_str());
  std::array<char, 1> byte{'x'};
  if (::write(fd.get(), byte.data(), 1) != 1) return errno;
  return ::pread(fd.get(), byte.data(), 1, 0) == 1 ? 0 : EIO;
}

int ran_program(const Scene& scene) {
  const Outcome run = in_child([&] {
    ::execl(scene.paths.program.c_str(), scene.paths.program.c_str(), static_cast<char*>(nullptr));
    return errno;
  });
  return run.signal != 0 ? EINTR : run.error;
}

int ran_thread() {
  pthread_t thread{};
  if (const int error = ::pthread_create(
          &thread, nullptr, [](void* p) { return p; }, nullptr))
    return error;
  return ::pthread_join(thread, nullptr);
}

int paired_sockets() {
  std::array<int, 2> fds{};
  return error_of(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()));
}

// The CUDA driver does so at its start. Bound without a name, the kernel picks an abstract one.
int listened() {
  const Fd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return errno;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address.sun_family) != 0) return errno;
  return error_of(::listen(fd.get(), 1));
}

using Try = int (*)(const Scene&);

struct Act {
  const char* what;
  Mechanism mechanism;
  Try attempt;
  // In a process of its own: what would last if it worked, or what works only there. The others are spared the fork,
  // which takes long in a process that has torch loaded.
  bool apart = false;
};

using enum Mechanism;

constexpr Act kForbidden[] = {
    {"read a file outside", kFiles, [](const Scene& s) { return opened(s.paths.forbidden_file, O_RDONLY); }},
    {"list a folder outside", kFiles, [](const Scene& s) { return listed(s.paths.forbidden_folder); }},
    {"make a file outside", kFiles, [](const Scene& s) { return created(s.outside()); }},
    {"write to a file outside", kFiles, [](const Scene& s) { return opened(s.paths.forbidden_file, O_WRONLY); }},
    {"make a file in /dev/shm", kFiles, [](const Scene&) { return created("/dev/shm/kbx_self_test"); }},
    {"read a file outside through a link", kFiles, read_through_link},
    {"link a file outside into the scratch folder", kFiles, linked_into_scratch},
    {"write to the kernel's settings", kFiles,
     [](const Scene&) { return opened("/proc/sys/kernel/core_pattern", O_WRONLY); }},
    {"open the parent's memory", kFiles, [](const Scene& s) { return opened(s.proc_of_parent("mem"), O_RDONLY); }},
    {"open the parent's environment", kFiles,
     [](const Scene& s) { return opened(s.proc_of_parent("environ"), O_RDONLY); }},
    {"open the parent's descriptors", kFiles,
     [](const Scene& s) { return opened(s.proc_of_parent("fd/0"), O_RDONLY); }},
    {"change the mode of a file outside", kSystemCalls,
     [](const Scene& s) { return changed_mode(s.paths.forbidden_file); }},
    {"connect by TCP", kNetwork, [](const Scene&) { return connected(SOCK_STREAM); }},
    {"send by UDP", kSystemCalls, [](const Scene&) { return connected(SOCK_DGRAM); }},
    {"open an internet socket", kSystemCalls,
     [](const Scene&) { return error_of(Fd(::socket(AF_INET6, SOCK_STREAM, 0)).get()); }},
    {"connect to a socket file", kSystemCalls, [](const Scene&) { return connected_to_socket_file(); }},
    {"trace the parent", kSystemCalls,
     [](const Scene& s) { return error_of(::ptrace(PTRACE_SEIZE, s.parent, nullptr, nullptr)); }, true},
    {"read the parent's memory", kSystemCalls, [](const Scene& s) { return read_memory_of(s.parent); }},
    {"take a descriptor of the parent's", kSystemCalls, [](const Scene& s) { return took_descriptor_of(s.parent); }},
    {"set the parent's limits", kSystemCalls, [](const Scene& s) { return lowered_limit_of(s.parent); }},
    {"move the parent to other processors", kSystemCalls,
     [](const Scene& s) { return moved_to_other_processors(s.parent); }},
    {"signal the parent", kSignals, [](const Scene& s) { return error_of(::kill(s.parent, 0)); }},
    {"leave the process group", kSystemCalls, [](const Scene&) { return error_of(::setpgid(0, 0)); }, true},
    {"leave the session", kSystemCalls, [](const Scene&) { return error_of(::setsid()); }, true},
    {"make a namespace", kSystemCalls, [](const Scene&) { return error_of(::unshare(CLONE_NEWUSER)); }, true},
    {"mount a file system", kSystemCalls, [](const Scene& s) { return mounted(s.paths.scratch); }},
    {"make a device node", kSystemCalls, made_device_node},
    {"count events", kSystemCalls, [](const Scene&) { return opened_perf_event(); }},
    {"load a program into the kernel", kSystemCalls, [](const Scene&) { return made_bpf_map(); }},
    {"dump core", kCoreDumps, [](const Scene&) { return dumped_core(); }},
};

constexpr Act kNeeded[] = {
    {"write in the scratch folder", kFiles, wrote_and_read},
    {"read a file of the allow-list", kFiles, [](const Scene& s) { return opened(s.paths.readable_file, O_RDONLY); }},
    // Its own folder in /proc, so not that of a child.
    {"name its own threads through /proc", kFiles,
     [](const Scene&) { return opened("/proc/thread-self/comm", O_WRONLY); }},
    {"run a program", kFiles, ran_program},
    {"start a thread", kSystemCalls, [](const Scene&) { return ran_thread(); }},
    {"make a pair of sockets", kSystemCalls, [](const Scene&) { return paired_sockets(); }},
    {"listen on a socket", kSystemCalls, [](const Scene&) { return listened(); }},
    {"make memory to share", kSystemCalls,
     [](const Scene&) { return error_of(Fd(static_cast<int>(::memfd_create("kbx", MFD_CLOEXEC))).get()); }},
};

struct LimitAct {
  Act act;
  uint64_t Policy::*limit;
  int refusal;
};

constexpr LimitAct kLimits[] = {
    {{"write past the limit of a file", kFileSize, wrote_past_limit}, &Policy::file_bytes, EFBIG},
    {{"open more files than allowed", kOpenFiles, opened_too_many, true}, &Policy::open_files, EMFILE},
    {{"start more processes than allowed", kProcesses, started_too_many, true}, &Policy::processes, EAGAIN},
};

Attempt attempted(const Act& act, bool forbidden, const Scene& scene, std::initializer_list<int> expected) {
  const auto attempt = [&] { return act.attempt(scene); };
  const Outcome outcome = act.apart ? in_child(attempt) : Outcome{.error = attempt()};
  const bool as_expected =
      outcome.signal == 0 && std::find(expected.begin(), expected.end(), outcome.error) != expected.end();
  return {act.what, act.mechanism, forbidden, as_expected, outcome.text()};
}

}  // namespace

std::vector<Attempt> self_test(const SelfTestPaths& paths, const Policy& policy) {
  const Scene scene{paths, policy, ::getppid()};
  std::vector<Attempt> attempts;
  // Landlock says EACCES, seccomp EPERM. Anything else (no such file) would refuse for a reason that is not the
  // sandbox's.
  for (const Act& act : kForbidden) attempts.push_back(attempted(act, true, scene, {EPERM, EACCES}));
  if (paths.sibling > 0) {
    const Act kill{"kill a process outside", kSignals,
                   [](const Scene& s) { return error_of(::kill(s.paths.sibling, SIGKILL)); }};
    attempts.push_back(attempted(kill, true, scene, {EPERM}));
  }
  for (const LimitAct& l : kLimits)
    if (policy.*l.limit != 0) attempts.push_back(attempted(l.act, true, scene, {l.refusal}));
  for (const Act& act : kNeeded) attempts.push_back(attempted(act, false, scene, {0}));
  return attempts;
}

std::vector<Attempt> surprises(const Report& report, const std::vector<Attempt>& attempts) {
  std::vector<Attempt> found;
  std::ranges::copy_if(attempts, std::back_inserter(found), [&](const Attempt& a) {
    return !a.as_expected && (!a.forbidden || report.enforces(a.mechanism));
  });
  return found;
}

}  // namespace kbx::sandbox
