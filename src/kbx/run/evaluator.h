// SPDX-License-Identifier: Apache-2.0
// What evaluates submissions, as the scheduler sees it: several at a time, answered in any order. The real one is
// JudgePool; tests put their own in its place.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "kbx/record/record.h"

namespace kbx {

struct Item {
  uint64_t key = 0;  // the scheduler's own
  std::string id;
  std::string task;
  std::string code;
  std::string entry;
  int attempt = 1;
};

struct Finished {
  uint64_t key = 0;
  std::optional<Record> record;
  std::string lost;  // why there is no record: the judge died
};

class Evaluator {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~Evaluator() = default;
  // alone: a judge that does nothing else meanwhile.
  virtual bool has_room(bool alone) const = 0;
  // Only where there is room.
  virtual void submit(Item item, bool alone) = 0;
  // Waits for one to be done; nothing at the deadline, when a signal came, or when also_fd (-1 for none) can be read.
  // Throws Error(kEnvironment) when no judge is left.
  virtual std::optional<Finished> next(Clock::time_point deadline, int also_fd) = 0;
  // Kills whatever is in flight.
  virtual void kill() = 0;
};

}  // namespace kbx
