// SPDX-License-Identifier: Apache-2.0
// How often the interval of a speedup holds the truth, on the simulated card: the figures of docs/measuring.md, made
// again. Not a test: thousands of measurements take a minute.
//
//   timing_coverage [REPEATS] [SEED]
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "kbx/timing/fake_device.h"
#include "kbx/timing/size_timer.h"
#include "kbx/timing/statistics.h"
#include "kbx/timing/verdict.h"

using namespace kbx::timing;  // NOLINT

namespace {

struct Scenario {
  const char* name;
  double base_us, cand_us, noise;
  double drift = 0;             // standard deviation, correlated over 0.7 s
  double cand_sensitivity = 1;  // to drift; the baseline's is 1
  bool steps = false;
  Options options = standard_options();
};

struct Bench {
  FakeGpu gpu;
  FakeDevice device{gpu};
  FakeWork work;
  LocalSide base{device, gpu, work};
  FakeGuest cand;
  Instrument instrument{.null_us = 0.5, .quantum_us = 0.032, .mhz = 1980};

  Bench(const Scenario& s, uint64_t seed)
      : gpu(seed),
        work(device, {.kernel_us = s.base_us}),
        cand(gpu, {.kernel_us = s.cand_us, .sensitivity = s.cand_sensitivity}) {
    gpu.noise_share = s.noise;
    if (s.drift > 0) gpu.drift = wandering(seed + 77, s.drift, 0.7e6, s.steps);
  }
};

SizeTiming paired(const Scenario& s, uint64_t seed) {
  Bench bench(s, seed);
  Random random("coverage" + std::to_string(seed));
  SizeTimer timer("x", 5, s.options, bench.instrument, bench.gpu, random);
  for (size_t epoch = 0; !timer.done(); ++epoch) {
    // Other sizes are visited between two epochs of this one.
    bench.gpu.pause_us(epoch == 0 ? 0 : 0.15e6 + s.options.epoch_gap_us);
    if (!timer.visit({.base = &bench.base, .cand = &bench.cand}, epoch)) std::abort();
  }
  return timer.result();
}

// One side for a second, then the other: what harnesses do that do not interleave.
double sequential(const Scenario& s, uint64_t seed) {
  Bench bench(s, seed);
  const auto second = [&](Side& side) {
    std::vector<double> calls;
    const double start = bench.gpu.now_us();
    while (bench.gpu.now_us() - start < 1e6) {
      const auto round = side.round({.inputs = {0, 1, 0, 1}, .untimed = 0, .spin_cycles = 100'000});
      for (const Sample& one : round->result.samples) calls.push_back(one.call_us);
    }
    return mean(calls);
  };
  const double base = second(bench.base);
  return base / second(bench.cand);
}

double variation(const std::vector<double>& values) {
  return *deviation(values) / mean(values);
}

void run(const Scenario& s, size_t repeats, uint64_t seed) {
  // A mark's own half microsecond is in both sides' times, and in what they are compared with.
  const double truth = (s.base_us + 0.5) / (s.cand_us + 0.5);
  std::vector<double> ratios, one_after_the_other, walls;
  size_t covered = 0, converged = 0, said[4] = {0, 0, 0, 0};
  for (size_t i = 0; i < repeats; ++i) {
    const SizeTiming t = paired(s, seed + 1000 * i);
    const Interval& speedup = t.estimate->speedup;
    ratios.push_back(speedup.point);
    walls.push_back(t.wall_us * 1e-6);
    covered += speedup.lo <= truth && truth <= speedup.hi ? 1 : 0;
    converged += t.converged ? 1 : 0;
    ++said[static_cast<size_t>(said_of(speedup).speed)];
    if (i < repeats / 5 + 2) one_after_the_other.push_back(sequential(s, seed + 1000 * i));
  }
  const auto percent = [&](size_t n) { return 100 * static_cast<double>(n) / static_cast<double>(repeats); };
  fmt::print("{:<44} {:>7.2f} {:>7.2f} {:>8.3f} {:>8.1f} {:>7.0f} {:>7.2f} {:>7.1f} {:>7.1f} {:>7.1f} {:>7.1f}\n",
             s.name, 100 * variation(one_after_the_other), 100 * variation(ratios), 100 * (mean(ratios) / truth - 1),
             percent(covered), percent(converged), mean(walls), percent(said[0]), percent(said[1]), percent(said[2]),
             percent(said[3]));
}

}  // namespace

int main(int argc, char** argv) {
  const size_t repeats = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const Options precise = precise_options(), quick = quick_options();
  const Scenario scenarios[] = {
      {"5 / 4 us, calm", 5, 4, 0.04},
      {"20 / 12 us, common drift", 20, 12, 0.02, 0.01, 1, true},
      {"100 / 60 us, common drift", 100, 60, 0.007, 0.01, 1, true},
      {"1 / 0.7 ms, common drift", 1000, 700, 0.007, 0.01, 1, true},
      {"10 / 8 ms, common drift", 10e3, 8e3, 0.007, 0.01, 1, true},
      {"100 / 60 us, candidate half as sensitive", 100, 60, 0.007, 0.01, 0.5},
      {"the same, --precise", 100, 60, 0.007, 0.01, 0.5, false, precise},
      {"the same, --quick", 100, 60, 0.007, 0.01, 0.5, false, quick},
      {"the same with steps, --precise", 100, 60, 0.007, 0.01, 0.5, true, precise},
      {"A/A 100 us, common drift", 100, 100, 0.007, 0.01, 1, true},
      {"A/A 5 us, calm", 5, 5, 0.04},
      {"ratio 1.02 at 100 us, common drift", 102.51, 100, 0.007, 0.01, 1, true},
  };
  fmt::print("{} repeats; in percent but for wall, in seconds a size for both sides\n", repeats);
  fmt::print("{:<44} {:>7} {:>7} {:>8} {:>8} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}\n", "", "CV seq.", "CV", "bias",
             "covers", "conv.", "wall", "faster", "slower", "no diff", "no est");
  for (const Scenario& s : scenarios) run(s, repeats, seed);
}
