// SPDX-License-Identifier: Apache-2.0
// The comparison of two sides at one size: warm-up, probes, blocks, and when to stop. docs/measuring.md says why each
// step is there and where its figures come from.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kbx/timing/random.h"
#include "kbx/timing/size_timing.h"

namespace kbx::timing {

struct Options {
  size_t epochs_min = 4, epochs_max = 10;
  double epoch_gap_us = 0;  // between epochs
  double cap_us = 1e6;      // of blocks, a size; at least four blocks are measured whatever they take
};
Options standard_options();
// One visit a size. The interval then knows nothing of what changes from one minute to the next, and is marked so.
Options quick_options();
// Epochs 1.5 s apart, which gives the interval its coverage where the sides react differently to the clocks.
Options precise_options();

// What the judge knows of its device before it times.
struct Instrument {
  double null_us = 0;     // median of a pair of marks with nothing between them
  double quantum_us = 0;  // the step of the event clock
  double mhz = 1000;      // of the spin's clock: a first guess, measured at every sample from then on
  // Reasons for which the device holds its clock back at this moment. May be empty: then only the spin tells.
  std::function<std::vector<std::string>()> throttle_reasons = nullptr;
};

struct Sides {
  Side* base = nullptr;
  Side* cand = nullptr;
  Side& operator[](Which which) const { return which == kBase ? *base : *cand; }
};

class SizeTimer {
 public:
  // pool: how many different inputs there are at this size.
  SizeTimer(std::string label, size_t pool, const Options& options, const Instrument& instrument, Clock& clock,
            Random& random);

  // Once an epoch, until done. False when a side could not go on; what was measured until then stands.
  // probe_repetition: also time the candidate on one input again and again, to see whether it remembers.
  bool visit(const Sides& sides, size_t epoch, bool probe_repetition = false);
  bool done() const { return done_; }
  SizeTiming result() const;

  // The baseline by itself, when no guest is there: median call, in microseconds. Two of these frame a measurement.
  std::optional<double> alone(Side& base);

 private:
  struct State {
    double call_us = 0;      // typical
    double overhead_us = 0;  // of an iteration beside its call
    double need_us = 0;      // host time that the spin has to cover
  };
  struct Attempt {
    Block block = {};
    std::vector<SizeTiming::TimedRound> rounds = {};
    bool gone = false, lengthened = false, clocks_apart = false;
  };

  bool warm_up(Side& side, Which which);
  bool probe(Side& side, Which which);
  bool probe_repetition(Side& cand);
  bool measure_block(const Sides& sides, size_t epoch);
  Attempt attempt_block(const Sides& sides, size_t epoch);
  void judge_clocks(Attempt& attempt, const std::vector<std::string> (&reasons)[2]);
  void apply_stop_rule(size_t epoch);

  std::optional<Round> timed_round(Side& side, Which which, size_t iterations, size_t untimed, size_t flushes = 1,
                                   bool one_input = false);
  void learn(const Round& round, Which which);
  bool lengthen_spin(const Round& round, Which which);
  std::vector<double> usable_calls(const Round& round, Which which) const;
  std::vector<size_t> draw_inputs(size_t n);
  size_t iterations(Which which) const;
  size_t blocks_wanted() const;
  double spin_us() const;

  Options options_;
  Instrument instrument_;
  Clock& clock_;
  Random& random_;
  size_t pool_;
  SizeTiming timing_;
  State state_[2];
  double seen_short_us_ = 0;  // the spin is longer than this, which was seen not to cover
  double measured_us_ = 0;    // spent in blocks
  bool warm_ = false, done_ = false;
};

}  // namespace kbx::timing
