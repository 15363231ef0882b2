// SPDX-License-Identifier: Apache-2.0
// A simulated GPU with the troubles of a real one, for tests and simulations: launches cost host time and arrive late,
// events step, clocks drift and throttle, two processes take turns, and a guest may cheat. Time is simulated, so a
// measurement of a second takes a millisecond.
#pragma once

#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "kbx/timing/device.h"
#include "kbx/timing/round.h"

namespace kbx::timing {

// The card, and the host's clock. Both processes' devices share it.
struct FakeGpu : Clock {
  explicit FakeGpu(uint64_t seed = 1) : noise(seed) {}

  double enqueue_us = 2;      // host time of one launch
  double latency_us = 4;      // from launch to start on an idle device
  double event_us = 0.5;      // device time of one mark
  double quantum_us = 0.032;  // of event readings
  double query_us = 0.5;
  double flush_us = 25;
  double mhz = 1980;
  double noise_share = 0.01;    // standard deviation of one call, relative
  double outlier_share = 0.02;  // of calls with an exponential tail of 3 deviations
  double hiccup_share = 0;      // of launches that the host delays
  double hiccup_us = 200;       // by so much in the mean
  double handover_us = 180;     // device changes hands
  // Relative slowness at a moment; how much of it a workload feels is the workload's own.
  std::function<double(double)> drift = [](double) { return 0.0; };
  std::function<double(double)> clock_share = [](double) { return 1.0; };  // of mhz

  double now_us() override { return now; }
  void pause_us(double duration) override { now += duration; }
  double gaussian() { return std::normal_distribution<double>()(noise); }
  bool happens(double share) { return std::uniform_real_distribution<double>()(noise) < share; }

  std::mt19937_64 noise;
  double now = 0;
  double idle_at = 0;       // the stream's end of work
  double side_idle_at = 0;  // that of streams that the loop does not know
};

// How a process's device lies or misbehaves.
struct FakeLies {
  double flush_share = 1;    // of a flush that is really done
  double elapsed_share = 1;  // of what is really elapsed, for intervals in which a call lies
};

class FakeDevice : public Device {
 public:
  explicit FakeDevice(FakeGpu& gpu, FakeLies lies = {}) : gpu_(gpu), lies_(lies) {}

  void reserve(size_t marks) override { marks_.resize(std::max(marks, marks_.size())); }
  bool release_pinned_cache() override { return true; }
  void flush() override;
  void spin(uint64_t cycles) override;
  void nothing() override { run(1.5); }
  void record(size_t mark) override;
  bool reached(size_t mark) override;
  void wait(size_t mark) override;
  void synchronize() override;
  double elapsed_us(size_t from, size_t to) override;

  // For workloads: a kernel of that length on the stream, or on a stream of the submission's own.
  void run(double duration_us);
  void run_aside(double duration_us);
  void host_works(double duration_us) { gpu_.now += duration_us; }
  FakeGpu& gpu() { return gpu_; }

 private:
  FakeGpu& gpu_;
  FakeLies lies_;
  std::vector<double> marks_;
};

// What a submission does instead of honest work, one way at a time.
enum class Cheat {
  kNone,
  kSideStream,      // returns at once, computes on a stream of its own
  kThread,          // the same from a thread, some time after the call
  kElapsedTime,     // readings of the clock are patched: a tenth of the truth
  kCacheByPointer,  // computes once an address, returns the old answer afterwards
  kBatchAndSkip,    // every eighth call does the work of eight, on the inputs it has then
  kLazyOutput,      // the result is computed when somebody looks at it
  kSkippedFlush,    // the guest's own loop leaves the flush out
  kEarlyLaunch,     // a programmatic launch that starts before the start mark
  kBackground,      // leaves a kernel running that slows the baseline
  kSleepInWarmUp,   // slow until it is measured
  kPinnedCache,     // keeps its data in the part of the cache that a flush does not reach
  kSkipsSome,       // leaves out a tenth of the calls
  kRemembersInput,  // looks the answer up when it has seen the content
};

// One side's work: a kernel of base length, with the card's noise and its share of the drift. It keeps books of which
// result stems from which input, which is what the judge's comparison would find out.
class FakeWork : public Workload {
 public:
  struct Shape {
    double kernel_us = 100;
    double copy_us = 5;         // refill and keep
    double sensitivity = 1;     // to drift
    double python_us = 0;       // host time within the call, before the launch
    bool synchronizes = false;  // waits for the device within the call, then launches again
  };
  FakeWork(FakeDevice& device, Shape shape, Cheat cheat = Cheat::kNone)
      : device_(device), shape_(shape), cheat_(cheat) {}

  void refill(size_t input, size_t slot) override;
  void call() override;
  void keep(size_t slot) override;

  static constexpr int kPoison = -1;
  const std::vector<int>& kept() const { return kept_; }  // by slot: the input that the result belongs to, or poison
  size_t threads() const { return cheat_ == Cheat::kThread && calls_ > 20 ? 2 : 1; }

 private:
  double length();
  void honest_call();

  FakeDevice& device_;
  Shape shape_;
  Cheat cheat_;
  size_t calls_ = 0;
  int input_ = kPoison, answer_ = kPoison, old_answer_ = kPoison;
  std::set<int> seen_;
  std::vector<int> kept_;
};

// The candidate's side: its own process and device, reached by messages, checked as the judge checks.
class FakeGuest : public Side {
 public:
  FakeGuest(FakeGpu& gpu, FakeWork::Shape shape, Cheat cheat = Cheat::kNone);
  std::optional<Round> round(const RoundSpec& spec) override;
  const FakeWork& work() const { return work_; }
  size_t rounds_until_death = SIZE_MAX;

 private:
  void check(const RoundSpec& spec, Round& round) const;

  FakeGpu& gpu_;
  Cheat cheat_;
  FakeDevice device_;
  FakeWork work_;
};

// Drift as it is seen on cards whose clocks nobody has locked: an Ornstein-Uhlenbeck process of this deviation and
// correlation time, with steps of the same size now and then.
std::function<double(double)> wandering(uint64_t seed, double deviation, double correlation_us, bool steps);

}  // namespace kbx::timing
