// SPDX-License-Identifier: Apache-2.0
// A round: one side, several iterations enqueued without waiting in between. Both processes run this function; the
// judge decides every number in the specification, and what comes back from a guest is a claim (checks.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kbx/timing/device.h"

namespace kbx::timing {

struct RoundSpec {
  enum class Kind {
    kTimed,     // launch latency hidden by a spin: the samples of the result
    kIsolated,  // one call at a time, without a spin: latency as a caller sees it, and work beside the stream
    kEmpty,     // one kernel that does nothing: what a round costs by itself
  };
  Kind kind = Kind::kTimed;
  std::vector<size_t> inputs = {};  // of the pool, one an iteration; iteration i leaves its result in slot i
  size_t untimed = 1;               // the first iterations, which pay for the change of process
  uint64_t spin_cycles = 0;
  size_t flushes = 1;
};

// One timed iteration, in microseconds.
struct Sample {
  double call_us = 0;
  double flush_us = 0;
  double spin_us = 0;
  double host_us = 0;    // from the spin's launch until the end mark was enqueued: what the spin has to cover
  bool exposed = false;  // the device got to the start mark before all was enqueued: launch latency is in the sample
};

// One isolated call, in microseconds.
struct Isolated {
  double call_us = 0;        // between the marks
  double end_to_end_us = 0;  // the host's clock, from before the call until the device was idle
  double lag_us = 0;         // from the end mark until the whole device was idle
};

struct RoundResult {
  std::vector<Sample> samples = {};  // untimed ones first
  std::vector<Isolated> isolated = {};
  double wall_us = 0;  // of the loop, by its own process's clock
  bool cache_released = false;
};

RoundResult run_round(Device& device, Clock& clock, Workload& work, const RoundSpec& spec);

// A round as the judge has it: what the side's loop returned, beside what the judge saw for itself.
struct Round {
  RoundResult result = {};
  double bracket_us = 0;  // by the judge's clock, from "go" until "done"
  size_t untimed = 0;     // as specified
  uint64_t spin_cycles = 0;
  size_t checked = 0, wrong = 0;  // results compared with the contract, and those refused
  size_t poisoned = 0;            // slots in which nothing was written
};

// One side of the comparison, as the judge drives it. Absent: the side cannot go on, and whoever implements it knows
// why (a guest that died or gave a wrong value; the verdict is the judge's business).
class Side {
 public:
  virtual ~Side() = default;
  virtual std::optional<Round> round(const RoundSpec& spec) = 0;
};

// The side in this process.
class LocalSide : public Side {
 public:
  LocalSide(Device& device, Clock& clock, Workload& work) : device_(device), clock_(clock), work_(work) {}
  std::optional<Round> round(const RoundSpec& spec) override;

 private:
  Device& device_;
  Clock& clock_;
  Workload& work_;
};

}  // namespace kbx::timing
