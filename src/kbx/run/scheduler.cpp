// SPDX-License-Identifier: Apache-2.0
#include "kbx/run/scheduler.h"

namespace kbx {
namespace {

constexpr auto kTick = std::chrono::milliseconds(100);
constexpr size_t kAtOnce = 200;  // read or started between two looks at judges and signals

}  // namespace

Record frame_of(const StoredSubmission& stored) {
  const Submission& submission = stored.submission;
  Record frame;
  frame.id = submission.id();
  frame.task = submission.task;
  frame.category = submission.category;
  frame.method = submission.method;
  frame.round = submission.round;
  frame.sample = submission.sample.value_or(0);
  frame.code_sha256 = stored.sha256;
  frame.source = submission.file + ':' + std::to_string(submission.line);
  if (!submission.extra.empty()) frame.extra["submitted"] = submission.extra;
  return frame;
}

Record framed(Record judged, const Record& frame) {
  judged.id = frame.id;
  judged.task = frame.task;
  judged.category = frame.category;
  judged.method = frame.method;
  judged.round = frame.round;
  judged.sample = frame.sample;
  judged.code_sha256 = frame.code_sha256;
  judged.source = frame.source;
  judged.extra.update(frame.extra);
  return judged;
}

Scheduler::Scheduler(Plan& plan, Evaluator& evaluator, Events events)
    : plan_(plan), evaluator_(evaluator), events_(std::move(events)) {}

bool Scheduler::run() {
  while (true) {
    const int interruptions = events_.interruptions();
    if (interruptions > 1) {
      evaluator_.kill();
      return false;
    }
    const bool stopping = interruptions > 0;
    bool more = false;
    if (!stopping) {
      more = plan_.read(kAtOnce, events_.on_problem);
      fill();
      more = more || (plan_.waiting() > 0 && evaluator_.has_room(false));
    }
    const bool nothing_left = plan_.ended() && plan_.waiting() == 0 && suspects_.empty();
    if (in_flight_.empty() && (stopping || nothing_left)) return nothing_left;

    const auto now = Evaluator::Clock::now();
    const int input = stopping || plan_.ended() ? -1 : plan_.waiting_on();
    if (auto finished = evaluator_.next(more ? now : now + kTick, input)) land(std::move(*finished));
    events_.on_tick();
  }
}

void Scheduler::fill() {
  if (!suspects_.empty()) {
    // Nothing new is started until a judge is free to try a suspect alone.
    while (!suspects_.empty() && evaluator_.has_room(true)) {
      const uint64_t key = suspects_.front();
      suspects_.pop_front();
      start(key, 2, true);
    }
    return;
  }
  for (size_t n = 0; n < kAtOnce && evaluator_.has_room(false); ++n) {
    const auto key = plan_.take();
    if (!key) return;
    start(*key, 1, false);
  }
}

void Scheduler::start(uint64_t key, int attempt, bool alone) {
  StoredSubmission stored = plan_.at(key);
  Record frame = frame_of(stored);
  if (stored.submission.code.empty()) {
    frame.verdict = Verdict::kEmpty;
    frame.stage = Stage::kCall;
    frame.reason = "there is no code";
    events_.on_record(frame);
    return;
  }
  Submission& submission = stored.submission;
  Item item = {key, frame.id, submission.task, std::move(submission.code), submission.entry, attempt};
  in_flight_[key] = {attempt, std::move(frame)};
  evaluator_.submit(std::move(item), alone);
}

void Scheduler::land(Finished finished) {
  const auto at = in_flight_.find(finished.key);
  if (at == in_flight_.end()) return;  // the judge answered twice
  const Flight flight = std::move(at->second);
  in_flight_.erase(at);
  if (!finished.record && flight.attempt == 1) {
    suspects_.push_back(finished.key);
    return;
  }
  Record judged;
  if (finished.record) {
    judged = std::move(*finished.record);
  } else {
    judged.verdict = Verdict::kInfrastructure;
    judged.stage = Stage::kCall;
    judged.reason = "the judge died over it twice: " + finished.lost;
  }
  judged.attempts = flight.attempt;
  events_.on_record(framed(std::move(judged), flight.frame));
}

}  // namespace kbx
