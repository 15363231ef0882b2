// SPDX-License-Identifier: Apache-2.0
#include "kbx/run/judge_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "kbx/base/error.h"

namespace kbx {
namespace {

constexpr int kServeFd = 3;  // the first free number in the child

// Between fork and exec: only calls that are safe there.
[[noreturn]] void become(char* const argv[], int socket, int log, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // kbx died before the line above
  const int nothing = ::open("/dev/null", O_RDWR);
  // Copies above all numbers that are about to be replaced.
  const int socket_copy = ::fcntl(socket, F_DUPFD, 10);
  const int log_copy = ::fcntl(log >= 0 ? log : nothing, F_DUPFD, 10);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log_copy, STDOUT_FILENO);
  ::dup2(log_copy, STDERR_FILENO);
  ::dup2(socket_copy, kServeFd);
  ::close_range(kServeFd + 1, ~0u, 0);
  ::execv(argv[0], argv);
  ::_exit(127);
}

}  // namespace

JudgeProcess::JudgeProcess(const std::filesystem::path& program, int log) {
  if (::access(program.c_str(), X_OK) != 0)
    throw Error(ErrorKind::kEnvironment, program.string() + ": " + std::strerror(errno),
                "build kbx-judge (KBX_BUILD_JUDGE=ON); it belongs beside kbx");
  auto [ours, theirs] = wire::Channel::pair();
  std::string path = program.string(), option = "--serve", number = std::to_string(kServeFd);
  char* argv[] = {path.data(), option.data(), number.data(), nullptr};
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) become(argv, theirs.get(), log, parent);
  if (pid_ < 0) throw Error(ErrorKind::kEnvironment, std::string("cannot start kbx-judge: ") + std::strerror(errno));
  channel_ = wire::Channel(std::move(ours));
}

JudgeProcess::~JudgeProcess() {
  (void)end();
}

void JudgeProcess::stop(wire::Clock::time_point deadline) {
  if (pid_ < 0) return;
  channel_.send(wire::Type::kStop, 0, nlohmann::json::object(), {}, deadline);
  while (wire::Clock::now() < deadline) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid_) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  (void)end();
}

std::string JudgeProcess::end() {
  if (pid_ < 0) return "";
  int status = 0;
  const bool ended_itself = ::waitpid(pid_, &status, WNOHANG) == pid_;
  ::kill(-pid_, SIGKILL);
  if (!ended_itself) {
    ::kill(pid_, SIGKILL);  // its group may not exist yet
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
  channel_.close();
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace kbx
