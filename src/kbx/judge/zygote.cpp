// SPDX-License-Identifier: Apache-2.0
#include "kbx/judge/zygote.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "kbx/base/error.h"

namespace kbx {
namespace {

constexpr auto kStartLimit = std::chrono::seconds(120);  // a cold page cache and 4 GB of torch on a slow disk
constexpr auto kAnswerLimit =
    std::chrono::seconds(60);  // a dying guest may hold a CUDA context: seconds, never a minute

Error zygote_died(const std::string& log) {
  return {ErrorKind::kEnvironment, "the guest zygote died", "its last words are in " + log};
}

// Between fork and exec in a program with threads: only calls that are safe after fork.
[[noreturn]] void become_zygote(int socket, int log, char* const* argv, char* const* env) {
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, STDIN_FILENO);
  ::dup2(socket, 3);  // dup2 clears close-on-exec; every other descriptor closes at exec
  if (socket == 3) ::fcntl(3, F_SETFD, 0);
  ::setpgid(0, 0);  // Ctrl-C at the terminal is for kbx alone
  ::execve(argv[0], argv, env);
  ::_exit(127);
}

}  // namespace

Zygote::Zygote(const ZygoteConfig& config) {
  auto [ours, theirs] = wire::Channel::pair();
  Fd log(::open(config.log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.valid()) throw Error(ErrorKind::kEnvironment, fmt::format("{}: {}", config.log_path, std::strerror(errno)));
  // -I: no environment variables, no current folder and no user's packages on the path. -B: writes no bytecode.
  const std::string start =
      fmt::format("import sys; sys.path.insert(0, {:?}); from kbx_guest.zygote import main; main(3)", config.guest_dir);
  std::array<const char*, 6> argv{config.python.c_str(), "-I", "-B", "-c", start.c_str(), nullptr};
  // The environment is made from nothing: what the user has set must not change verdicts.
  std::vector<std::string> environment{
      "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8",     "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1",
      "CUDA_DEVICE_MAX_CONNECTIONS=1",     "HOME=/nonexistent"};
  // Where this machine's libraries lie is not a matter of taste: without it the extension may not load.
  if (const char* libraries = std::getenv("LD_LIBRARY_PATH"))
    environment.push_back(fmt::format("LD_LIBRARY_PATH={}", libraries));
  std::vector<const char*> env;
  for (const std::string& entry : environment) env.push_back(entry.c_str());
  env.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0) throw Error(ErrorKind::kEnvironment, fmt::format("fork: {}", std::strerror(errno)));
  if (pid_ == 0)
    become_zygote(theirs.get(), log.get(), const_cast<char* const*>(argv.data()), const_cast<char* const*>(env.data()));
  theirs.reset();
  channel_ = wire::Channel(std::move(ours), 1 << 20);
  wire::Received hello = channel_.receive(wire::Clock::now() + kStartLimit);
  if (hello.arrival != wire::Arrival::kMessage || hello.message.type != wire::Type::kHello) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    throw Error(ErrorKind::kEnvironment, fmt::format("the guest's Python ({}) did not start", config.python),
                "see " + config.log_path + "; 'kbx doctor' checks the environment");
  }
  versions_ = std::move(hello.message.payload);
  reader_ = std::thread([this] { read_answers(); });
}

Zygote::~Zygote() {
  // Its own way to end is the closing socket; it then kills every guest. Killed outright only when it does not.
  ::shutdown(channel_.fd(), SHUT_RDWR);
  for (int i = 0; i < 100; ++i) {
    if (::waitpid(pid_, nullptr, WNOHANG) != 0) {
      pid_ = -1;
      break;
    }
    ::usleep(10000);
  }
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (reader_.joinable()) reader_.join();
}

void Zygote::read_answers() {
  try {
    for (;;) {
      wire::Received received = channel_.receive();
      if (received.arrival != wire::Arrival::kMessage) break;
      std::lock_guard lock(mutex_);
      answers_[received.message.nonce] = std::move(received.message.payload);
      answered_.notify_all();
    }
  } catch (const std::exception&) {
    // A zygote that talks nonsense is as good as dead.
  }
  std::lock_guard lock(mutex_);
  dead_ = true;
  answered_.notify_all();
}

wire::Json Zygote::ask(wire::Type type, const wire::Json& payload, const std::vector<int>& fds) {
  uint64_t nonce = 0;
  {
    std::lock_guard lock(mutex_);
    nonce = next_nonce_++;
  }
  {
    std::lock_guard lock(sending_);
    if (!channel_.send(type, nonce, payload, fds, wire::Clock::now() + kAnswerLimit))
      throw zygote_died("the run's zygote log");
  }
  std::unique_lock lock(mutex_);
  answered_.wait_for(lock, kAnswerLimit, [&] { return dead_ || answers_.contains(nonce); });
  const auto found = answers_.find(nonce);
  if (found == answers_.end()) throw zygote_died("the run's zygote log");
  wire::Json answer = std::move(found->second);
  answers_.erase(found);
  return answer;
}

pid_t Zygote::fork_guest(const wire::Json& config, const std::vector<int>& fds) {
  return ask(wire::Type::kFork, config, fds).at("pid").get<pid_t>();
}

int Zygote::end_guest(pid_t guest) {
  return ask(wire::Type::kEnd, {{"pid", guest}}, {}).at("status").get<int>();
}

}  // namespace kbx
