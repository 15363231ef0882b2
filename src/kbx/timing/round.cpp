// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/round.h"

#include <chrono>
#include <thread>

namespace kbx::timing {
namespace {

// The marks of an iteration. Flush comes before the spin, so that whatever the flush leaves draining in the memory
// system has the length of the spin to finish.
enum Mark : size_t { kFlushBegin, kSpinBegin, kCallBegin, kCallEnd, kMarks };

Sample enqueue(Device& device, Clock& clock, Workload& work, const RoundSpec& spec, size_t i) {
  const size_t first = i * kMarks;
  Sample sample;
  work.refill(spec.inputs[i], i);
  device.record(first + kFlushBegin);
  for (size_t k = 0; k < spec.flushes; ++k) device.flush();
  device.record(first + kSpinBegin);
  const double start = clock.now_us();
  device.spin(spec.spin_cycles);
  device.record(first + kCallBegin);
  work.call();
  device.record(first + kCallEnd);
  sample.host_us = clock.now_us() - start;
  sample.exposed = device.reached(first + kCallBegin);
  work.keep(i);
  return sample;
}

void timed(Device& device, Clock& clock, Workload& work, const RoundSpec& spec, RoundResult& result) {
  for (size_t i = 0; i < spec.inputs.size(); ++i) result.samples.push_back(enqueue(device, clock, work, spec, i));
  device.synchronize();
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const size_t first = i * kMarks;
    Sample& sample = result.samples[i];
    sample.flush_us = device.elapsed_us(first + kFlushBegin, first + kSpinBegin);
    sample.spin_us = device.elapsed_us(first + kSpinBegin, first + kCallBegin);
    sample.call_us = device.elapsed_us(first + kCallBegin, first + kCallEnd);
  }
}

void isolated(Device& device, Clock& clock, Workload& work, const RoundSpec& spec, RoundResult& result) {
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    work.refill(spec.inputs[i], i);
    device.flush();
    device.synchronize();
    const double start = clock.now_us();
    device.record(kCallBegin);
    work.call();
    device.record(kCallEnd);
    device.wait(kCallEnd);
    const double ended = clock.now_us();
    device.synchronize();
    const double idle = clock.now_us();
    work.keep(i);
    result.isolated.push_back(
        {.call_us = device.elapsed_us(kCallBegin, kCallEnd), .end_to_end_us = idle - start, .lag_us = idle - ended});
  }
  device.synchronize();
}

}  // namespace

RoundResult run_round(Device& device, Clock& clock, Workload& work, const RoundSpec& spec) {
  RoundResult result;
  device.reserve((spec.inputs.size() + 1) * kMarks);
  const double start = clock.now_us();
  result.cache_released = device.release_pinned_cache();
  switch (spec.kind) {
    case RoundSpec::Kind::kTimed:
      timed(device, clock, work, spec, result);
      break;
    case RoundSpec::Kind::kIsolated:
      isolated(device, clock, work, spec, result);
      break;
    case RoundSpec::Kind::kEmpty:
      device.nothing();
      device.synchronize();
      break;
  }
  result.wall_us = clock.now_us() - start;
  return result;
}

std::optional<Round> LocalSide::round(const RoundSpec& spec) {
  Round round{.untimed = spec.untimed, .spin_cycles = spec.spin_cycles};
  const double start = clock_.now_us();
  round.result = run_round(device_, clock_, work_, spec);
  round.bracket_us = clock_.now_us() - start;
  return round;
}

double SystemClock::now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void SystemClock::pause_us(double duration) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(duration));
}

}  // namespace kbx::timing
