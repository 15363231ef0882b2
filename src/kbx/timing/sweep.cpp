// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/sweep.h"

#include <algorithm>
#include <deque>
#include <numeric>

namespace kbx::timing {

Sweep time_sizes(SizeSource& source, const Options& options, const Instrument& instrument, Clock& clock,
                 Random& random) {
  std::vector<SizeTimer> timers;
  for (size_t i = 0; i < source.count(); ++i)
    timers.emplace_back(source.label(i), source.pool(i), options, instrument, clock, random);
  const auto results = [&](std::optional<size_t> failed_at) {
    Sweep sweep{.sizes = {}, .failed_at = failed_at};
    for (const SizeTimer& timer : timers) sweep.sizes.push_back(timer.result());
    return sweep;
  };

  std::vector<size_t> open(timers.size());
  std::iota(open.begin(), open.end(), size_t{0});
  for (size_t epoch = 0; !open.empty() && epoch < options.epochs_max; ++epoch) {
    if (epoch > 0) clock.pause_us(options.epoch_gap_us);
    random.shuffle(open);
    for (const size_t size : open) {
      // Once a submission, at a size that it cannot foresee: whether it is faster on what it has just seen.
      const bool first = epoch == 0 && size == open.front();
      const auto sides = source.enter(size);
      if (!sides || !timers[size].visit(*sides, epoch, first)) return results(size);
    }
    std::erase_if(open, [&](size_t size) { return timers[size].done(); });
  }
  return results(std::nullopt);
}

std::vector<size_t> quick_sizes(size_t count) {
  std::vector<size_t> sizes;
  for (const size_t size : {size_t{0}, count / 2, count - 1})
    if (size < count && (sizes.empty() || size > sizes.back())) sizes.push_back(size);
  return sizes;
}

std::optional<double> burn_in(Side& base, const Instrument& instrument, Clock& clock) {
  constexpr size_t kReadings = 5;
  constexpr double kSteady = 0.005, kLeastUs = 0.3e6, kMostUs = 2e6, kSpinUs = 100;
  std::deque<double> readings;
  const double start = clock.now_us();
  for (;;) {
    RoundSpec spec{.inputs = std::vector<size_t>(8, 0)};
    spec.spin_cycles = static_cast<uint64_t>(kSpinUs * instrument.mhz);
    const auto round = base.round(spec);
    if (!round) return std::nullopt;
    readings.push_back(clock_mhz(*round, instrument.null_us));
    if (readings.size() > kReadings) readings.pop_front();
    const auto [low, high] = std::ranges::minmax(readings);
    const double spent = clock.now_us() - start;
    const bool steady = readings.size() == kReadings && low > 0 && high / low < 1 + kSteady;
    if ((steady && spent >= kLeastUs) || spent >= kMostUs) return readings.back();
  }
}

}  // namespace kbx::timing
