// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/estimate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "kbx/timing/statistics.h"

namespace kbx::timing {
namespace {

std::vector<double> logs_of(std::span<const Block> blocks, double (*value)(const Block&)) {
  std::vector<double> logs;
  for (const Block& b : blocks) logs.push_back(std::log(value(b)));
  return logs;
}

Interval around(double log_point, double half) {
  return {.point = std::exp(log_point), .lo = std::exp(log_point - half), .hi = std::exp(log_point + half)};
}

// A reading is off by up to half a step, uniformly: q / sqrt(12). Without this a time of few steps, read the same in
// every block, would claim to be known exactly.
double step_error(double quantum_us, double time_us, size_t blocks) {
  return quantum_us / (time_us * std::sqrt(12.0 * static_cast<double>(blocks)));
}

}  // namespace

LogMean log_mean(std::span<const double> logs, std::span<const Block> blocks) {
  LogMean result{.mean = mean(logs), .half_blocks = half_width(logs).value_or(0)};
  // Drift that meets the two sides differently (one is bound by memory, the other by arithmetic) is common to the
  // blocks of an epoch, so their spread does not show it; the spread between epochs does.
  std::map<size_t, std::vector<double>> epochs;
  for (size_t i = 0; i < blocks.size(); ++i) epochs[blocks[i].epoch].push_back(logs[i]);
  std::vector<double> means;
  for (const auto& [epoch, values] : epochs) means.push_back(mean(values));
  result.half_epochs = half_width(means).value_or(0);
  return result;
}

std::optional<Estimate> estimate(std::span<const Block> blocks, double quantum_us) {
  if (blocks.size() < 2) return std::nullopt;
  const auto base = logs_of(blocks, [](const Block& b) { return b.base_us; });
  const auto cand = logs_of(blocks, [](const Block& b) { return b.cand_us; });
  std::vector<double> ratio;
  for (size_t i = 0; i < blocks.size(); ++i) ratio.push_back(base[i] - cand[i]);

  const LogMean r = log_mean(ratio, blocks), b = log_mean(base, blocks), c = log_mean(cand, blocks);
  const double base_step = step_error(quantum_us, std::exp(b.mean), blocks.size());
  const double cand_step = step_error(quantum_us, std::exp(c.mean), blocks.size());
  Estimate e{.half_blocks = r.half_blocks,
             .half_epochs = r.half_epochs,
             .half_quantum = std::hypot(base_step, cand_step),
             .blocks = blocks.size()};
  std::vector<size_t> epochs;
  for (const Block& block : blocks) epochs.push_back(block.epoch);
  std::ranges::sort(epochs);
  e.epochs = static_cast<size_t>(std::ranges::unique(epochs).begin() - epochs.begin());
  e.half_width = std::max({e.half_blocks, e.half_epochs, e.half_quantum});
  e.speedup = around(r.mean, e.half_width);
  e.base_us = around(b.mean, std::max({b.half_blocks, b.half_epochs, base_step}));
  e.cand_us = around(c.mean, std::max({c.half_blocks, c.half_epochs, cand_step}));
  if (std::ranges::all_of(blocks, [](const Block& x) { return x.base_mhz > 0 && x.cand_mhz > 0; })) {
    std::vector<double> cycles;
    for (size_t i = 0; i < blocks.size(); ++i)
      cycles.push_back(ratio[i] + std::log(blocks[i].base_mhz / blocks[i].cand_mhz));
    e.speedup_cycles = std::exp(mean(cycles));
  }
  return e;
}

}  // namespace kbx::timing
