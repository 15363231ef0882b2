// SPDX-License-Identifier: Apache-2.0
// One guest from fork to burial. Every wait has a limit; whatever the guest does (dies, hangs, floods, talks nonsense)
// comes back as a Failure, and only what the harness itself cannot do is an exception.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kbx/judge/zygote.h"
#include "kbx/record/record.h"
#include "kbx/wire/channel.h"

namespace kbx {

struct Limits {
  double load_s = 20;              // importing the submission
  double call_s = 10;              // one call, without compiling
  double compile_s = 60;           // compiling, over the whole submission
  size_t output_bytes = 4u << 20;  // on standard output and error together, then it is a flood
};

// Why a submission went no further. Stage and case are known to the caller.
struct Failure {
  Verdict verdict = Verdict::kRuntimeError;
  std::string reason;
  std::string error_type = {};
  std::string traceback = {};
};

// What the guest's driver saw of one call.
struct Seen {
  std::vector<KernelUse> kernels;
  std::vector<Finding> findings;
  std::vector<TargetResult> targets;
};

class GuestSession {
 public:
  // config: what the guest gets with the fork (guest.py); "scratch" is set here, to a fresh folder below scratch_root.
  GuestSession(Zygote& zygote, wire::Json config, const std::filesystem::path& scratch_root, const Limits& limits);
  GuestSession(const GuestSession&) = delete;
  GuestSession& operator=(const GuestSession&) = delete;
  ~GuestSession();

  // Waits until the guest stands in its sandbox. A guest that does not is the harness's failure: kbx::Error.
  void await_hello();
  std::optional<Failure> load(const std::string& code, const std::vector<std::string>& entries,
                              const std::string& wrapper);
  // Tells the guest of a block. False when it has gone.
  bool map(int64_t id, size_t bytes, int fd);
  // The result's description, in result.
  std::optional<Failure> call(const wire::Json& payload, wire::Json& result);
  // Has the guest copy the result's tensors into these slots.
  std::optional<Failure> take(const wire::Json& payload);

  // Kills the guest, waits until nothing is left of it, and answers with its wait status.
  int end();
  const std::filesystem::path& scratch() const { return scratch_; }
  const Seen& seen() const { return seen_; }                  // of the last call
  const wire::Json& sandbox() const { return sandbox_; }      // what of the sandbox is enforced
  const wire::Json& self_test() const { return self_test_; }  // what the guest tried, where its config asks for that
  double compile_seconds() const { return spent_s_[1]; }
  std::string standard_output() const { return output_[0]; }  // the first 16 KiB
  std::string standard_error() const { return output_[1]; }

 private:
  enum Phase { kRunning, kCompiling, kInterpreting };
  using Clock = wire::Clock;

  std::optional<Failure> exchange(wire::Type type, const wire::Json& payload, wire::Type wanted, double limit_s,
                                  wire::Json* answer);
  std::optional<Failure> handle(const wire::Message& message, wire::Type wanted, bool& done);
  Clock::time_point deadline() const;
  void enter(Phase phase);
  // Reads what the guest has printed. False when it is a flood.
  bool drain();
  Failure timed_out();
  Failure gone();

  Zygote& zygote_;
  Limits limits_;
  std::filesystem::path scratch_;
  wire::Channel channel_;
  Fd pipes_[2];
  std::string output_[2];
  size_t output_bytes_ = 0;
  pid_t pid_ = -1;
  int status_ = 0;
  wire::Json sandbox_, self_test_;
  Seen seen_;
  uint64_t nonce_ = 0;
  Phase phase_ = kRunning;
  Clock::time_point phase_since_;
  double call_limit_s_ = 0;
  double spent_s_[3] = {0, 0, 0};  // running and interpreting of this call, compiling of the whole submission
};

// {"sandbox report": ...} aside, the frames' "kernels", "findings" and "targets" as structs; what is malformed is left
// out.
Seen seen_from(const wire::Json& payload);

}  // namespace kbx
