// SPDX-License-Identifier: Apache-2.0
// Brings a plan's submissions to an evaluator and its records to the caller. A submission whose judge died is tried
// once more, alone on a judge, so that one that kills judges takes no other with it; the second time it is recorded as
// infrastructure. After the first interruption what is in flight is finished, after the second it is killed.
#pragma once

#include <deque>
#include <functional>
#include <unordered_map>

#include "kbx/run/evaluator.h"
#include "kbx/run/plan.h"

namespace kbx {

struct Events {
  std::function<void(const Record&)> on_record;
  std::function<void(const Problem&)> on_problem;
  std::function<void()> on_tick;       // at least five times a second
  std::function<int()> interruptions;  // how many there were
};

class Scheduler {
 public:
  Scheduler(Plan& plan, Evaluator& evaluator, Events events);

  // Answers whether all was evaluated.
  bool run();

 private:
  struct Flight {
    int attempt = 1;
    Record frame;  // the record without what the judge says
  };

  void fill();
  void start(uint64_t key, int attempt, bool alone);
  void land(Finished finished);

  Plan& plan_;
  Evaluator& evaluator_;
  Events events_;
  std::unordered_map<uint64_t, Flight> in_flight_;
  std::deque<uint64_t> suspects_;  // in flight when a judge died
};

// What is known of a record before it is judged.
Record frame_of(const StoredSubmission& stored);
// The judge's part of a record in its frame.
Record framed(Record judged, const Record& frame);

}  // namespace kbx
