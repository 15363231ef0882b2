// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/fake_device.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace kbx::timing {

void FakeDevice::run(double duration_us) {
  gpu_.now += gpu_.enqueue_us;
  if (gpu_.hiccup_share > 0 && gpu_.happens(gpu_.hiccup_share))
    gpu_.now += gpu_.hiccup_us * std::exponential_distribution<double>()(gpu_.noise);
  gpu_.idle_at = std::max(gpu_.idle_at, gpu_.now + gpu_.latency_us) + duration_us;
}

void FakeDevice::run_aside(double duration_us) {
  gpu_.now += gpu_.enqueue_us;
  gpu_.side_idle_at = std::max(gpu_.side_idle_at, gpu_.now + gpu_.latency_us) + duration_us;
}

void FakeDevice::flush() {
  run(gpu_.flush_us * lies_.flush_share * (1 + 0.005 * gpu_.gaussian()));
}

void FakeDevice::spin(uint64_t cycles) {
  run(static_cast<double>(cycles) / (gpu_.mhz * gpu_.clock_share(std::max(gpu_.now, gpu_.idle_at))));
}

void FakeDevice::record(size_t mark) {
  gpu_.now += gpu_.enqueue_us / 2;
  gpu_.idle_at = std::max(gpu_.idle_at, gpu_.now + gpu_.latency_us) + gpu_.event_us;
  marks_.at(mark) = gpu_.idle_at;
}

bool FakeDevice::reached(size_t mark) {
  gpu_.now += gpu_.query_us;
  return marks_.at(mark) <= gpu_.now;
}

void FakeDevice::wait(size_t mark) {
  gpu_.now = std::max(gpu_.now, marks_.at(mark)) + 2;
}

void FakeDevice::synchronize() {
  gpu_.now = std::max({gpu_.now, gpu_.idle_at, gpu_.side_idle_at}) + 2;
}

double FakeDevice::elapsed_us(size_t from, size_t to) {
  // The lie is told of calls: the last two marks of an iteration.
  const double share = to % 4 == 3 ? lies_.elapsed_share : 1;
  return std::round((marks_.at(to) - marks_.at(from)) * share / gpu_.quantum_us) * gpu_.quantum_us;
}

void FakeWork::refill(size_t input, size_t slot) {
  device_.run(shape_.copy_us);
  input_ = static_cast<int>(input);
  answer_ = kPoison;
  kept_.resize(std::max(kept_.size(), slot + 1), kPoison);
  kept_[slot] = kPoison;
}

double FakeWork::length() {
  FakeGpu& gpu = device_.gpu();
  const double at = std::max(gpu.now, gpu.idle_at);
  double noise = 1 + gpu.noise_share * gpu.gaussian();
  if (gpu.happens(gpu.outlier_share)) noise += 3 * gpu.noise_share * std::exponential_distribution<double>()(gpu.noise);
  return shape_.kernel_us * noise * (1 + shape_.sensitivity * gpu.drift(at)) /
         (1 - shape_.sensitivity + shape_.sensitivity * gpu.clock_share(at));
}

void FakeWork::honest_call() {
  device_.host_works(shape_.python_us);
  if (shape_.synchronizes) {
    device_.run(length() / 2);
    device_.synchronize();
    device_.run(length() / 2);
  } else {
    device_.run(length());
  }
  answer_ = old_answer_ = input_;
}

void FakeWork::call() {
  ++calls_;
  switch (cheat_) {
    case Cheat::kNone:
    case Cheat::kElapsedTime:
    case Cheat::kSkippedFlush:
      return honest_call();
    case Cheat::kSideStream:
    case Cheat::kThread:
    case Cheat::kLazyOutput:
      // The answer is not there when it is copied out.
      if (cheat_ != Cheat::kLazyOutput) device_.run_aside(length() + (cheat_ == Cheat::kThread ? 200 : 0));
      return;
    case Cheat::kCacheByPointer:
      if (calls_ <= 20) return honest_call();
      answer_ = old_answer_;
      return;
    case Cheat::kBatchAndSkip:
      if (calls_ % 8 == 0) return honest_call();
      answer_ = old_answer_;
      return;
    case Cheat::kEarlyLaunch: {
      // Nine tenths run beside whatever the stream is still busy with.
      FakeGpu& gpu = device_.gpu();
      const double whole = shape_.kernel_us;
      shape_.kernel_us -= std::min(0.9 * whole, std::max(0.0, gpu.idle_at - gpu.now));
      honest_call();
      shape_.kernel_us = whole;
      return;
    }
    case Cheat::kBackground:
      device_.gpu().drift = [](double) { return 0.3; };
      shape_.sensitivity = 0;
      return honest_call();
    case Cheat::kSleepInWarmUp:
      if (calls_ < 60) device_.run(20 * shape_.kernel_us);
      return honest_call();
    case Cheat::kPinnedCache: {
      const double whole = shape_.kernel_us;
      shape_.kernel_us = whole * 0.3;
      honest_call();
      shape_.kernel_us = whole;
      return;
    }
    case Cheat::kSkipsSome:
      if (calls_ % 10 != 0) honest_call();
      return;
    case Cheat::kRemembersInput: {
      const double whole = shape_.kernel_us;
      if (old_answer_ == input_) shape_.kernel_us = whole * 0.2;
      honest_call();
      shape_.kernel_us = whole;
      return;
    }
  }
}

void FakeWork::keep(size_t slot) {
  device_.run(shape_.copy_us);
  kept_.at(slot) = answer_;
}

FakeGuest::FakeGuest(FakeGpu& gpu, FakeWork::Shape shape, Cheat cheat)
    : gpu_(gpu),
      cheat_(cheat),
      device_(gpu, {.flush_share = cheat == Cheat::kSkippedFlush ? 0.05 : 1,
                    .elapsed_share = cheat == Cheat::kElapsedTime ? 0.1 : 1}),
      work_(device_, shape, cheat) {}

std::optional<Round> FakeGuest::round(const RoundSpec& spec) {
  if (rounds_until_death == 0) return std::nullopt;
  --rounds_until_death;
  Round round{.untimed = spec.untimed, .spin_cycles = spec.spin_cycles};
  const double start = gpu_.now;
  gpu_.now += gpu_.handover_us * (1 + 0.1 * std::abs(gpu_.gaussian()));
  round.result = run_round(device_, gpu_, work_, spec);
  round.bracket_us = gpu_.now - start;
  if (spec.kind == RoundSpec::Kind::kTimed) check(spec, round);
  gpu_.now += 50;  // the judge compares
  return round;
}

void FakeGuest::check(const RoundSpec& spec, Round& round) const {
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const int kept = work_.kept()[i];
    ++round.checked;
    if (kept == FakeWork::kPoison)
      ++round.poisoned;
    else if (kept != static_cast<int>(spec.inputs[i]))
      ++round.wrong;
  }
}

std::function<double(double)> wandering(uint64_t seed, double deviation, double correlation_us, bool steps) {
  struct State {
    std::mt19937_64 noise;
    double at = 0, value = 0, step = 0;
  };
  auto state = std::make_shared<State>();
  state->noise.seed(seed);
  return [=](double now) {
    State& s = *state;
    std::normal_distribution<double> gaussian;
    const double passed = std::max(0.0, now - s.at), keep = std::exp(-passed / correlation_us);
    if (passed > 0) {
      s.value = s.value * keep + deviation * std::sqrt(1 - keep * keep) * gaussian(s.noise);
      // A step every ten correlation times.
      if (steps && std::uniform_real_distribution<double>()(s.noise) < 1 - std::exp(-passed / (10 * correlation_us)))
        s.step = deviation * gaussian(s.noise);
      s.at = now;
    }
    return s.value + s.step;
  };
}

}  // namespace kbx::timing
