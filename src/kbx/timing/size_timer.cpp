// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/size_timer.h"

#include <algorithm>
#include <cmath>

namespace kbx::timing {
namespace {

// A round is short enough to stay below the power limits of cards that hold a load for some 5 ms, and long enough that
// handing the device over (some 0.2 ms) does not dominate.
constexpr double kRoundUs = 2500;
constexpr size_t kRoundMin = 2, kRoundMax = 32;
constexpr double kSlowUs = 20'000;  // one call a round from here on
constexpr double kMediumUs = 2'000;

// The spin: half as long again as what it has to cover; long enough for the flush's writes to drain; and bounded, so
// that a call which waits for the device just waits the spin out.
constexpr double kSpinMargin = 1.5, kSpinMinUs = 20, kSpinCapUs = 2'000;
constexpr double kExposedShare = 0.02;

constexpr double kWarmUpUs = 20'000, kWarmUpCapUs = 1e6, kWarmUpAgreement = 0.02;
constexpr size_t kWarmUpGroup = 8, kWarmUpIterations = 3;

constexpr size_t kIsolatedCalls = 3, kEmptyRounds = 2;
constexpr double kClocksApart = 0.02;
constexpr size_t kDiscardsMax = 5;
constexpr double kBackOffUs = 50e3, kBackOffMaxUs = 500e3;
constexpr size_t kBlocksMin = 4, kBlocksMax = 64;
constexpr size_t kLongFlushOneIn = 8, kLongFlush = 3;

double target_half_width(double time_us) {
  return time_us < 20 ? 0.01 : 0.005;
}

std::vector<Sample> timed_samples(const Round& round) {
  const auto& all = round.result.samples;
  return {all.begin() + static_cast<std::ptrdiff_t>(std::min(round.untimed, all.size())), all.end()};
}

double host_need(const std::vector<Sample>& samples) {
  std::vector<double> host;
  for (const Sample& s : samples) host.push_back(s.host_us);
  std::ranges::sort(host);
  return host.empty() ? 0 : quantile(host, 0.95);
}

size_t exposed_of(const std::vector<Sample>& samples) {
  return static_cast<size_t>(std::ranges::count_if(samples, &Sample::exposed));
}

}  // namespace

Options standard_options() {
  return {};
}

Options quick_options() {
  return {.epochs_min = 1, .epochs_max = 1, .cap_us = 0.4e6};
}

Options precise_options() {
  return {.epochs_min = 6, .epochs_max = 12, .epoch_gap_us = 1.5e6, .cap_us = 4e6};
}

double clock_mhz(const Round& round, double null_us) {
  std::vector<double> readings;
  for (const Sample& s : timed_samples(round))
    if (s.spin_us > null_us) readings.push_back(static_cast<double>(round.spin_cycles) / (s.spin_us - null_us));
  return readings.empty() ? 0 : median(std::move(readings));
}

SizeTimer::SizeTimer(std::string label, size_t pool, const Options& options, const Instrument& instrument, Clock& clock,
                     Random& random)
    : options_(options), instrument_(instrument), clock_(clock), random_(random), pool_(std::max<size_t>(1, pool)) {
  timing_.label = std::move(label);
}

bool SizeTimer::visit(const Sides& sides, size_t epoch, bool probe_repetition) {
  const double start = clock_.now_us();
  const auto spent = [&](bool whole) {
    timing_.wall_us += clock_.now_us() - start;
    return whole;
  };
  for (const Which which : {kBase, kCand})
    if (!warm_up(sides[which], which)) return spent(false);
  warm_ = true;
  for (const Which which : {kBase, kCand})
    if (!probe(sides[which], which)) return spent(false);
  if (probe_repetition && !this->probe_repetition(sides[kCand])) return spent(false);

  const bool last = epoch + 1 >= options_.epochs_max;
  const size_t an_epoch = (blocks_wanted() + options_.epochs_min - 1) / options_.epochs_min;
  for (size_t n = 0; !done_ && (n < an_epoch || (last && timing_.blocks.size() < kBlocksMax)); ++n) {
    if (!measure_block(sides, epoch)) return spent(false);
    apply_stop_rule(epoch);
  }
  if (last) done_ = true;
  return spent(true);
}

SizeTiming SizeTimer::result() const {
  SizeTiming result = timing_;
  std::vector<double> calls[2];
  for (const auto& r : timing_.rounds) {
    const auto usable = usable_calls(r.round, r.which);
    calls[r.which].insert(calls[r.which].end(), usable.begin(), usable.end());
  }
  for (const Which which : {kBase, kCand}) result.samples[which] = summarise(std::move(calls[which]));
  result.spin_us = spin_us();
  return result;
}

std::optional<double> SizeTimer::alone(Side& base) {
  constexpr size_t kRounds = 4;
  if (!warm_up(base, kBase)) return std::nullopt;
  std::vector<double> calls;
  for (size_t i = 0; i < kRounds; ++i) {
    const auto r = timed_round(base, kBase, iterations(kBase), 1);
    if (!r) return std::nullopt;
    const auto usable = usable_calls(*r, kBase);
    calls.insert(calls.end(), usable.begin(), usable.end());
  }
  if (calls.empty()) return std::nullopt;
  return median(std::move(calls));
}

// The same loop on the same inputs as what is measured, so that a submission cannot tell one from the other. Later
// visits need one round: other sizes ran since, but nothing is compiled any more.
bool SizeTimer::warm_up(Side& side, Which which) {
  const double start = clock_.now_us();
  size_t done = 0;
  double before = 0;
  for (;;) {
    const size_t n = state_[which].call_us == 0 ? kRoundMin : std::min(iterations(which), kWarmUpGroup);
    const auto r = timed_round(side, which, n, 0);
    if (!r) return false;
    const double spent = clock_.now_us() - start;
    if (lengthen_spin(*r, which) && spent < kWarmUpCapUs) continue;
    learn(*r, which);
    done += n;
    const double now = state_[which].call_us;
    if (!warm_) timing_.warm_up_us[which] = now;
    const bool agrees = before > 0 && std::abs(now / before - 1) < kWarmUpAgreement;
    if (warm_ || spent >= kWarmUpCapUs || (agrees && done >= kWarmUpIterations && spent >= kWarmUpUs)) return true;
    before = now;
  }
}

bool SizeTimer::probe(Side& side, Which which) {
  for (size_t i = 0; i < kEmptyRounds; ++i) {
    const auto r = side.round({.kind = RoundSpec::Kind::kEmpty, .inputs = {}, .untimed = 0});
    if (!r) return false;
    timing_.empty_us[which].push_back(r->bracket_us);
  }
  const auto r = side.round({.kind = RoundSpec::Kind::kIsolated, .inputs = draw_inputs(kIsolatedCalls), .untimed = 0});
  if (!r) return false;
  auto& all = timing_.isolated[which];
  all.insert(all.end(), r->result.isolated.begin(), r->result.isolated.end());
  return true;
}

bool SizeTimer::probe_repetition(Side& cand) {
  for (const bool same : {true, false, false, true, false, true, true, false}) {
    const auto r = timed_round(cand, kCand, iterations(kCand), 1, 1, same);
    if (!r) return false;
    if (const auto calls = usable_calls(*r, kCand); !calls.empty())
      (same ? timing_.same_input_us : timing_.fresh_input_us).push_back(median(calls));
  }
  return true;
}

bool SizeTimer::measure_block(const Sides& sides, size_t epoch) {
  double back_off = kBackOffUs;
  for (;;) {
    const double start = clock_.now_us();
    Attempt attempt = attempt_block(sides, epoch);
    if (attempt.gone) return false;
    if (attempt.lengthened) continue;  // ends: the spin has a cap
    if (attempt.clocks_apart) {
      ++timing_.blocks_discarded;
      if (timing_.blocks_discarded <= kDiscardsMax) {
        clock_.pause_us(back_off);
        back_off = std::min(2 * back_off, kBackOffMaxUs);
        continue;
      }
      timing_.throttled = true;
    }
    measured_us_ += clock_.now_us() - start;
    for (auto& r : attempt.rounds) {
      r.block = timing_.blocks.size();
      timing_.cache_released[r.which] &= r.round.result.cache_released;
      timing_.rounds.push_back(std::move(r));
    }
    timing_.blocks.push_back(attempt.block);
    return true;
  }
}

SizeTimer::Attempt SizeTimer::attempt_block(const Sides& sides, size_t epoch) {
  Attempt attempt;
  attempt.block.epoch = epoch;
  const Which outer = random_.below(2) == 0 ? kBase : kCand, inner = outer == kBase ? kCand : kBase;
  // Whoever pads a round to hide something inside of flush and spin cannot pad rightly for both lengths.
  const size_t flushes = random_.below(kLongFlushOneIn) == 0 ? kLongFlush : 1;
  std::vector<double> calls[2];
  std::vector<std::string> reasons[2];
  for (const Which which : {outer, inner, inner, outer}) {
    auto r = timed_round(sides[which], which, iterations(which), 1, flushes);
    attempt.gone = !r;
    if (!r) return attempt;
    const auto samples = timed_samples(*r);
    timing_.timed += samples.size();
    timing_.exposed += exposed_of(samples);
    attempt.lengthened = lengthen_spin(*r, which);
    if (attempt.lengthened) return attempt;  // both sides of a block have the same spin
    const auto usable = usable_calls(*r, which);
    calls[which].insert(calls[which].end(), usable.begin(), usable.end());
    if (instrument_.throttle_reasons)
      for (auto& reason : instrument_.throttle_reasons()) reasons[which].push_back(std::move(reason));
    attempt.rounds.push_back({.which = which, .flushes = flushes, .round = std::move(*r)});
  }
  // At the spin's cap and still not one covered sample: the next attempt may do better, and lengthen_spin decides
  // whether there will be one.
  attempt.lengthened = calls[kBase].empty() || calls[kCand].empty();
  if (attempt.lengthened) return attempt;
  attempt.block.base_us = std::max(median(calls[kBase]), instrument_.quantum_us);
  attempt.block.cand_us = std::max(median(calls[kCand]), instrument_.quantum_us);
  judge_clocks(attempt, reasons);
  return attempt;
}

void SizeTimer::judge_clocks(Attempt& attempt, const std::vector<std::string> (&reasons)[2]) {
  std::vector<double> mhz[2];
  for (const auto& r : attempt.rounds)
    if (const double reading = clock_mhz(r.round, instrument_.null_us); reading > 0) mhz[r.which].push_back(reading);
  if (!mhz[kBase].empty() && !mhz[kCand].empty()) {
    attempt.block.base_mhz = mean(mhz[kBase]);
    attempt.block.cand_mhz = mean(mhz[kCand]);
    attempt.clocks_apart = std::abs(std::log(attempt.block.base_mhz / attempt.block.cand_mhz)) > kClocksApart;
  }
  if (reasons[kBase].empty() != reasons[kCand].empty()) attempt.clocks_apart = true;
  for (const auto& side : reasons)
    for (const auto& reason : side)
      if (std::ranges::find(timing_.throttle_reasons, reason) == timing_.throttle_reasons.end())
        timing_.throttle_reasons.push_back(reason);
}

void SizeTimer::apply_stop_rule(size_t epoch) {
  timing_.estimate = estimate(timing_.blocks, instrument_.quantum_us);
  if (!timing_.estimate) return;
  const Estimate& e = *timing_.estimate;
  const double shorter = std::min(e.base_us.point, e.cand_us.point);
  timing_.converged =
      e.blocks >= blocks_wanted() && epoch + 1 >= options_.epochs_min && e.half_width <= target_half_width(shorter);
  const bool spent = measured_us_ >= options_.cap_us && e.blocks >= kBlocksMin;
  done_ = timing_.converged || spent;
}

std::optional<Round> SizeTimer::timed_round(Side& side, Which which, size_t iterations, size_t untimed, size_t flushes,
                                            bool one_input) {
  RoundSpec spec{.inputs = draw_inputs(untimed + iterations), .untimed = untimed, .flushes = flushes};
  if (one_input) std::ranges::fill(spec.inputs, spec.inputs.front());
  spec.spin_cycles = static_cast<uint64_t>(spin_us() * instrument_.mhz);
  auto r = side.round(spec);
  // The baseline's own clock, never the guest's word.
  if (r && which == kBase)
    if (const double mhz = clock_mhz(*r, instrument_.null_us); mhz > 0) instrument_.mhz = mhz;
  return r;
}

void SizeTimer::learn(const Round& round, Which which) {
  const auto& samples = round.result.samples;
  if (samples.empty()) return;
  std::vector<double> calls;
  for (const Sample& s : samples) calls.push_back(s.call_us);
  State& state = state_[which];
  const double each = round.bracket_us / static_cast<double>(samples.size());
  state.overhead_us = std::max(0.0, each - mean(calls));
  state.call_us = std::max(median(std::move(calls)), instrument_.quantum_us);
  if (!timing_.host_bound[which]) state.need_us = host_need(samples);
}

// True when the round is to be done again, with a longer spin or as one that is bound by the host.
bool SizeTimer::lengthen_spin(const Round& round, Which which) {
  const auto samples = timed_samples(round);
  const size_t exposed = exposed_of(samples);
  // One sample of a longer round is a hiccup of the host's: it is left out, and nothing else follows from it.
  const double allowed =
      samples.size() < kWarmUpGroup ? 0 : std::max(1.0, kExposedShare * static_cast<double>(samples.size()));
  if (timing_.host_bound[which] || static_cast<double>(exposed) <= allowed) return false;
  const double current = spin_us();
  if (current < kSpinCapUs) {
    seen_short_us_ = std::max(current, host_need(samples));
    return true;
  }
  if (exposed < samples.size()) return false;
  timing_.host_bound[which] = true;
  state_[which].need_us = 0;
  seen_short_us_ = 0;
  return true;
}

std::vector<double> SizeTimer::usable_calls(const Round& round, Which which) const {
  std::vector<double> calls;
  for (const Sample& s : timed_samples(round))
    if (!s.exposed || timing_.host_bound[which]) calls.push_back(s.call_us);
  return calls;
}

// No input twice in a row, so that yesterday's answer is never today's.
std::vector<size_t> SizeTimer::draw_inputs(size_t n) {
  std::vector<size_t> inputs;
  for (size_t i = 0; i < n; ++i) {
    size_t next = random_.below(pool_);
    if (pool_ > 1 && !inputs.empty() && next == inputs.back()) next = (next + 1 + random_.below(pool_ - 1)) % pool_;
    inputs.push_back(next);
  }
  return inputs;
}

size_t SizeTimer::iterations(Which which) const {
  const State& s = state_[which];
  if (s.call_us > kSlowUs) return 1;
  const double n = kRoundUs / std::max(1.0, s.call_us + s.overhead_us);
  return std::clamp(static_cast<size_t>(n), kRoundMin, kRoundMax);
}

size_t SizeTimer::blocks_wanted() const {
  const double longer = std::max(state_[kBase].call_us, state_[kCand].call_us);
  return longer < kMediumUs ? 12 : longer < kSlowUs ? 6 : 4;
}

double SizeTimer::spin_us() const {
  const double need = std::max({state_[kBase].need_us, state_[kCand].need_us, seen_short_us_});
  return std::clamp(kSpinMargin * need, kSpinMinUs, kSpinCapUs);
}

}  // namespace kbx::timing
