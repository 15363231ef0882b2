// SPDX-License-Identifier: Apache-2.0
// Everything that was recorded of one size: what the estimate, the checks and the record are made from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kbx/timing/estimate.h"
#include "kbx/timing/round.h"
#include "kbx/timing/statistics.h"

namespace kbx::timing {

// The two sides, as indices.
enum Which : size_t { kBase, kCand };

struct SizeTiming {
  struct TimedRound {
    Which which = kBase;
    size_t block = 0;    // index into blocks
    size_t flushes = 1;  // a sample
    Round round = {};
  };

  std::string label;
  std::vector<Block> blocks;
  std::vector<TimedRound> rounds;  // four a block
  std::optional<Estimate> estimate;
  std::optional<Summary> samples[2];  // of both sides, by Which

  std::vector<double> empty_us[2];  // brackets of empty rounds
  std::vector<Isolated> isolated[2];
  // Medians of candidate rounds that saw one input again and again, and of rounds beside them that did not.
  std::vector<double> same_input_us, fresh_input_us;
  double warm_up_us[2] = {0, 0};  // median call of the last group before measuring began
  bool cache_released[2] = {true, true};

  bool converged = false;               // the interval is as narrow as was asked for
  bool host_bound[2] = {false, false};  // the call itself waits for the host: there are gaps in its time
  bool throttled = false;               // the sides' clocks stayed apart
  std::vector<std::string> throttle_reasons;
  size_t blocks_discarded = 0;    // because of clocks
  size_t exposed = 0, timed = 0;  // samples: those that did not prove their cover, which are not used, and all
  double spin_us = 0;
  double wall_us = 0;
};

// Of the device's clock during a round, from the lengths of its spins. null_us: a pair of marks with nothing in
// between. 0 where it cannot be told.
double clock_mhz(const Round& round, double null_us);

}  // namespace kbx::timing
