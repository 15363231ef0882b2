// SPDX-License-Identifier: Apache-2.0
#include "kbx/judge/guest_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "kbx/base/error.h"

namespace kbx {
namespace {

using wire::Json;
using wire::Type;

constexpr double kHelloLimit_s = 30;
constexpr size_t kKeptOutput = 16 << 10;
constexpr size_t kMaxFrame = 1 << 20;  // of what a guest may send at once

std::array<Fd, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(ErrorKind::kEnvironment, fmt::format("pipe: {}", std::strerror(errno)));
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {Fd(ends[0]), Fd(ends[1])};
}

std::filesystem::path make_scratch(const std::filesystem::path& root) {
  std::string name = (root / "guest-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw Error(ErrorKind::kEnvironment, fmt::format("{}: {}", name, std::strerror(errno)));
  return name;
}

std::chrono::nanoseconds seconds(double s) {
  return std::chrono::nanoseconds(static_cast<int64_t>(s * 1e9));
}

std::string text_at(const Json& payload, const char* key) {
  const auto found = payload.find(key);
  return found != payload.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<int64_t> integer_at(const Json& payload, const char* key) {
  const auto found = payload.find(key);
  return found != payload.end() && found->is_number_integer() ? std::optional(found->get<int64_t>()) : std::nullopt;
}

// Only these names of a guest's are taken over: none of them lets a submission pass.
Verdict claimed_verdict(const std::string& name) {
  for (const Verdict v :
       {Verdict::kSyntaxError, Verdict::kMissingEntry, Verdict::kImportError, Verdict::kCompileError,
        Verdict::kOutOfMemory, Verdict::kDeviceFault, Verdict::kUnsupportedOnCpu, Verdict::kOutOfBoundsWrite})
    if (name == name_of(v)) return v;
  return Verdict::kRuntimeError;
}

}  // namespace

Seen seen_from(const Json& payload) {
  Seen seen;
  const auto each = [&](const char* key, const auto& f) {
    const auto list = payload.find(key);
    if (list == payload.end() || !list->is_array()) return;
    for (const Json& item : *list)
      if (item.is_object()) f(item);
  };
  each("kernels", [&](const Json& k) {
    seen.kernels.push_back({.name = text_at(k, "name"),
                            .launches = integer_at(k, "launches").value_or(0),
                            .shared_bytes = integer_at(k, "shared_bytes"),
                            .registers = integer_at(k, "registers"),
                            .spills = integer_at(k, "spills")});
  });
  each("findings", [&](const Json& f) {
    seen.findings.push_back(
        {.rule = text_at(f, "rule"), .detail = text_at(f, "detail"), .line = integer_at(f, "line").value_or(0)});
  });
  each("targets", [&](const Json& t) {
    seen.targets.push_back({.kernel = text_at(t, "kernel"),
                            .target = text_at(t, "target"),
                            .compiled = t.value("compiled", Json(false)) == true,
                            .shared_bytes = integer_at(t, "shared_bytes"),
                            .registers = integer_at(t, "registers"),
                            .spills = integer_at(t, "spills"),
                            .error = text_at(t, "error")});
  });
  return seen;
}

GuestSession::GuestSession(Zygote& zygote, Json config, const std::filesystem::path& scratch_root, const Limits& limits)
    : zygote_(zygote), limits_(limits), scratch_(make_scratch(scratch_root)) {
  auto [ours, theirs] = wire::Channel::pair();
  auto out = make_pipe();
  auto err = make_pipe();
  config["scratch"] = scratch_.string();
  if (config["sandbox"].is_object()) config["sandbox"]["writable"].push_back(scratch_.string());
  channel_ = wire::Channel(std::move(ours), kMaxFrame);
  pipes_[0] = std::move(out[0]);
  pipes_[1] = std::move(err[0]);
  pid_ = zygote_.fork_guest(config, {theirs.get(), out[1].get(), err[1].get()});
}

GuestSession::~GuestSession() {
  try {
    end();
  } catch (const std::exception&) {
    // The zygote has died; whoever waits for it next says so.
  }
  std::error_code ignored;
  std::filesystem::remove_all(scratch_, ignored);
}

int GuestSession::end() {
  if (pid_ > 0) {
    status_ = zygote_.end_guest(std::exchange(pid_, -1));
    drain();
  }
  return status_;
}

void GuestSession::await_hello() {
  wire::Received hello = channel_.receive(Clock::now() + seconds(kHelloLimit_s));
  if (hello.arrival != wire::Arrival::kMessage || hello.message.type != Type::kHello) {
    end();
    throw Error(ErrorKind::kEnvironment, "a guest did not start: " + output_[1].substr(0, 2000));
  }
  sandbox_ = hello.message.payload.value("sandbox", Json::array());
  self_test_ = hello.message.payload.value("self_test", Json::array());
}

bool GuestSession::map(int64_t id, size_t bytes, int fd) {
  return channel_.send(Type::kMap, nonce_, {{"id", id}, {"bytes", bytes}}, {fd},
                       Clock::now() + seconds(limits_.call_s));
}

std::optional<Failure> GuestSession::load(const std::string& code, const std::vector<std::string>& entries,
                                          const std::string& wrapper) {
  return exchange(Type::kLoad, {{"code", code}, {"entries", entries}, {"wrapper", wrapper}}, Type::kLoaded,
                  limits_.load_s, nullptr);
}

std::optional<Failure> GuestSession::call(const Json& payload, Json& result) {
  Json answer;
  auto failure = exchange(Type::kCall, payload, Type::kDone, limits_.call_s, &answer);
  if (!failure) result = std::move(answer["result"]);
  return failure;
}

std::optional<Failure> GuestSession::take(const Json& payload) {
  const Seen of_call = seen_;
  auto failure = exchange(Type::kTake, payload, Type::kTaken, limits_.call_s, nullptr);
  seen_ = of_call;
  return failure;
}

std::optional<Failure> GuestSession::exchange(Type type, const Json& payload, Type wanted, double limit_s,
                                              Json* answer) {
  ++nonce_;
  seen_ = {};
  call_limit_s_ = limit_s;
  spent_s_[kRunning] = spent_s_[kInterpreting] = 0;
  phase_ = kRunning;
  phase_since_ = Clock::now();
  if (!channel_.send(type, nonce_, payload, {}, deadline())) return gone();
  for (;;) {
    std::array<pollfd, 3> watched{{{.fd = channel_.fd(), .events = POLLIN, .revents = 0},
                                   {.fd = pipes_[0].get(), .events = POLLIN, .revents = 0},
                                   {.fd = pipes_[1].get(), .events = POLLIN, .revents = 0}}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline() - Clock::now()).count();
    if (left <= 0) return timed_out();
    if (::poll(watched.data(), watched.size(), static_cast<int>(left)) < 0 && errno != EINTR)
      throw Error(ErrorKind::kEnvironment, fmt::format("poll: {}", std::strerror(errno)));
    if (!drain()) {
      end();
      return Failure{Verdict::kOutputFlood, fmt::format("printed more than {} MiB", limits_.output_bytes >> 20)};
    }
    if (watched[0].revents == 0) continue;
    try {
      wire::Received received = channel_.receive(deadline());
      if (received.arrival == wire::Arrival::kClosed) return gone();
      if (received.arrival == wire::Arrival::kTimeout) return timed_out();
      bool done = false;
      if (auto failure = handle(received.message, wanted, done)) return failure;
      if (!done) continue;
      if (answer != nullptr) *answer = std::move(received.message.payload);
      enter(kRunning);
      return std::nullopt;
    } catch (const wire::ProtocolError& error) {
      end();
      return Failure{Verdict::kTampered, fmt::format("wrote to the harness's channel: {}", error.what())};
    }
  }
}

std::optional<Failure> GuestSession::handle(const wire::Message& message, Type wanted, bool& done) {
  if (message.nonce != nonce_ || !message.fds.empty()) throw wire::ProtocolError("a frame that answers nothing");
  if (message.type == Type::kPhase) {
    const std::string phase = text_at(message.payload, "phase");
    enter(phase == "compiling" ? kCompiling : phase == "interpreting" ? kInterpreting : kRunning);
    return std::nullopt;
  }
  if (message.type == Type::kRefused) {
    seen_ = seen_from(message.payload);
    return Failure{.verdict = claimed_verdict(text_at(message.payload, "verdict")),
                   .reason = text_at(message.payload, "message"),
                   .error_type = text_at(message.payload, "type"),
                   .traceback = text_at(message.payload, "traceback")};
  }
  if (message.type != wanted) throw wire::ProtocolError("a frame of a kind that was not asked for");
  seen_ = seen_from(message.payload);
  done = true;
  return std::nullopt;
}

GuestSession::Clock::time_point GuestSession::deadline() const {
  const double limit_s = phase_ == kCompiling ? limits_.compile_s : call_limit_s_;
  return phase_since_ + seconds(limit_s - spent_s_[phase_]);
}

void GuestSession::enter(Phase phase) {
  const auto now = Clock::now();
  spent_s_[phase_] += std::chrono::duration<double>(now - phase_since_).count();
  phase_ = phase;
  phase_since_ = now;
}

bool GuestSession::drain() {
  std::array<char, 65536> buffer{};
  for (size_t which = 0; which < 2; ++which) {
    for (;;) {
      const ssize_t n = ::read(pipes_[which].get(), buffer.data(), buffer.size());
      if (n <= 0) break;
      output_bytes_ += static_cast<size_t>(n);
      if (output_bytes_ > limits_.output_bytes) return false;
      const size_t room = kKeptOutput - std::min(kKeptOutput, output_[which].size());
      output_[which].append(buffer.data(), std::min(room, static_cast<size_t>(n)));
    }
  }
  return true;
}

Failure GuestSession::timed_out() {
  const Phase phase = phase_;
  end();
  if (phase == kInterpreting)
    return {Verdict::kUnsupportedOnCpu,
            fmt::format("a kernel was still being interpreted after {} s, which says nothing of a GPU", call_limit_s_)};
  if (phase == kCompiling) return {Verdict::kTimeout, fmt::format("still compiling after {} s", limits_.compile_s)};
  return {Verdict::kTimeout, fmt::format("no answer within {} s", call_limit_s_)};
}

Failure GuestSession::gone() {
  const int status = end();
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGSYS) return {Verdict::kSandboxViolation, "killed for a system call that guests may not make"};
    return {Verdict::kCrashed, fmt::format("killed by {}", ::strsignal(signal))};
  }
  return {Verdict::kCrashed, fmt::format("the process ended by itself, with status {}", WEXITSTATUS(status))};
}

}  // namespace kbx
