// SPDX-License-Identifier: Apache-2.0
// From blocks to a speedup with an interval. Pure functions of numbers. A block is ABBA or BAAB: two rounds of the
// baseline and two of the candidate beside each other in time, whose log ratio keeps nothing of a drift that both
// share.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace kbx::timing {

struct Block {
  size_t epoch = 0;
  double base_us = 0, cand_us = 0;    // medians of the block's samples, never below the clock's step
  double base_mhz = 0, cand_mhz = 0;  // of the device's clock, measured by the spin; 0: not known
};

struct Interval {
  double point = 0, lo = 0, hi = 0;
};

struct Estimate {
  Interval speedup = {};                // baseline over candidate, 95 %
  Interval base_us = {}, cand_us = {};  // 95 %
  double half_width = 0;                // of ln(speedup): the largest of the three below
  double half_blocks = 0;               // from the spread of blocks
  double half_epochs = 0;               // from the spread of epochs; 0 where there is one epoch
  double half_quantum = 0;              // what the clock's step leaves open
  size_t blocks = 0, epochs = 0;
  std::optional<double> speedup_cycles = {};  // of times in cycles: how far the ratio depends on the clocks
};

// Absent below two blocks. quantum_us: the step of the device's event clock.
std::optional<Estimate> estimate(std::span<const Block> blocks, double quantum_us);

// The interval of ln(x), where x is the geometric mean of a size's blocks: what the three widths above are made of.
struct LogMean {
  double mean = 0, half_blocks = 0, half_epochs = 0;
};
LogMean log_mean(std::span<const double> logs, std::span<const Block> blocks);

}  // namespace kbx::timing
