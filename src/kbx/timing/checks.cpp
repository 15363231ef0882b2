// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kbx::timing {
namespace {

using Outcome = Check::Outcome;

// Limits of the specification. Each holds the larger of a share of the time and a number of microseconds, below which
// two processes differ without anybody's doing.
constexpr double kAccountingRemark = 0.05, kAccountingRemarkUs = 2, kAccountingFail = 0.25, kAccountingFailUs = 5;
constexpr double kLagShare = 0.05, kLagUs = 5;
constexpr double kAloneShare = 0.03;
constexpr double kFlushShare = 0.015, kFlushUs = 0.5;
constexpr double kFloorShare = 0.97;
constexpr double kRepetitionGain = 0.03;
constexpr double kSlowStartShare = 0.25, kSlowStartUs = 2;
constexpr double kSpinShare = 0.25, kSpinUs = 10;
constexpr double kBracketShare = 0.005;
constexpr double kCyclesGap = 0.02, kExposedRemark = 0.02;
constexpr double kLaunchFloors = 3;

// A check that passes while value <= limit.
Check bounded(std::string name, double value, double limit, Outcome otherwise, const std::string& detail) {
  const bool ok = value <= limit;
  return {.name = std::move(name),
          .outcome = ok ? Outcome::kPassed : otherwise,
          .value = value,
          .limit = limit,
          .detail = ok ? std::string() : detail};
}

Check not_told(std::string name, std::string why) {
  return {.name = std::move(name), .outcome = Outcome::kNotTold, .value = {}, .limit = {}, .detail = std::move(why)};
}

std::vector<double> values_of(const std::vector<Isolated>& all, double Isolated::*member) {
  std::vector<double> values;
  for (const Isolated& one : all) values.push_back(one.*member);
  return values;
}

size_t sum_over_candidate(const SizeTiming& t, size_t Round::*member) {
  size_t sum = 0;
  for (const auto& r : t.rounds)
    if (r.which == kCand) sum += r.round.*member;
  return sum;
}

Check outputs_right(const SizeTiming& t) {
  const size_t checked = sum_over_candidate(t, &Round::checked);
  if (checked == 0) return not_told("outputs_right", "no output of a timed call was compared");
  const size_t wrong = sum_over_candidate(t, &Round::wrong);
  return bounded("outputs_right", static_cast<double>(wrong), 0, Outcome::kFailed,
                 fmt::format("{} of {} outputs of timed calls are wrong: an answer from before, or for other inputs",
                             wrong, checked));
}

Check outputs_written(const SizeTiming& t) {
  const size_t poisoned = sum_over_candidate(t, &Round::poisoned);
  return bounded("outputs_written", static_cast<double>(poisoned), 0, Outcome::kFailed,
                 fmt::format("{} timed calls had not written their output when their time ended", poisoned));
}

// What the rounds of one side took by the judge's clock, summed.
struct Account {
  double bracket_us = 0, calls_us = 0;
  double iterations = 0, rounds = 0;
  void add(const Round& r) {
    bracket_us += r.bracket_us;
    for (const Sample& s : r.result.samples) calls_us += s.call_us;
    iterations += static_cast<double>(r.result.samples.size());
    ++rounds;
  }
};

// The candidate's time without its word: what its rounds took by the judge's clock, less what the same steps around the
// call cost in the judge's own rounds beside them, less what a round costs by itself.
Check accounting(const SizeTiming& t) {
  if (t.host_bound[kBase] || t.host_bound[kCand])
    return not_told("accounting", "the host, not the device, sets the pace");
  if (t.blocks.empty() || t.empty_us[kBase].empty() || t.empty_us[kCand].empty())
    return not_told("accounting", "nothing to account with");
  const double empty[2] = {median(t.empty_us[kBase]), median(t.empty_us[kCand])};
  std::vector<Account> accounts[2] = {std::vector<Account>(t.blocks.size()), std::vector<Account>(t.blocks.size())};
  for (const auto& r : t.rounds) accounts[r.which].at(r.block).add(r.round);
  std::vector<double> missing, claims;
  for (size_t b = 0; b < t.blocks.size(); ++b) {
    const Account &base = accounts[kBase][b], &cand = accounts[kCand][b];
    if (base.iterations == 0 || cand.iterations == 0) continue;
    const double around = (base.bracket_us - base.rounds * empty[kBase] - base.calls_us) / base.iterations;
    const double implied = (cand.bracket_us - cand.rounds * empty[kCand]) / cand.iterations - around;
    claims.push_back(cand.calls_us / cand.iterations);
    missing.push_back(implied - claims.back());
  }
  if (missing.empty()) return not_told("accounting", "nothing to account with");
  const double value = median(missing), claim = median(claims);
  const double fail = std::max(kAccountingFail * claim, kAccountingFailUs);
  const double remark = std::max(kAccountingRemark * claim, kAccountingRemarkUs);
  const auto detail =
      fmt::format("the guest claims {:.2f} us a call; by the judge's clock it is {:.2f} us", claim, claim + value);
  if (std::abs(value) > fail) return bounded("accounting", std::abs(value), fail, Outcome::kFailed, detail);
  return bounded("accounting", std::abs(value), remark, Outcome::kRemarked, detail);
}

// Every microsecond that a guest claims has to fit between the judge's "go" and the guest's "done".
Check within_bracket(const SizeTiming& t) {
  double worst = 0;
  for (const auto& r : t.rounds) {
    if (r.which != kCand || r.round.bracket_us <= 0) continue;
    double claimed = 0;
    for (const Sample& s : r.round.result.samples) claimed += s.call_us + s.flush_us + s.spin_us;
    worst = std::max(worst, claimed / r.round.bracket_us);
  }
  return bounded("within_bracket", worst, 1 + kBracketShare, Outcome::kFailed,
                 "the guest claims more time than passed");
}

Check beside_stream(const SizeTiming& t) {
  if (t.isolated[kBase].empty() || t.isolated[kCand].empty())
    return not_told("beside_stream", "no call was made by itself");
  const double lag = median(values_of(t.isolated[kCand], &Isolated::lag_us));
  const auto base = values_of(t.isolated[kBase], &Isolated::lag_us);
  const double end_to_end = median(values_of(t.isolated[kCand], &Isolated::end_to_end_us));
  const double limit = *std::ranges::max_element(base) + std::max(kLagShare * end_to_end, kLagUs);
  return bounded("beside_stream", lag, limit, Outcome::kFailed,
                 "the device was at work after the time of the call had ended: work outside of the stream");
}

// A call made by itself cannot be shorter than the timed one; and what it is longer by is launch latency, which the
// host spent on launching. Anything more was done before the timed call's start mark, during the spin.
Check same_without_spin(const SizeTiming& t) {
  if (t.isolated[kCand].empty() || !t.samples[kCand])
    return not_told("same_without_spin", "no call was made by itself");
  std::vector<double> host;
  for (const auto& r : t.rounds)
    if (r.which == kCand)
      for (const Sample& s : r.round.result.samples) host.push_back(s.host_us);
  const double timed = t.samples[kCand]->median;
  const double excess = median(values_of(t.isolated[kCand], &Isolated::call_us)) - timed;
  const double limit = 1.5 * (host.empty() ? 0 : median(host)) + std::max(kSpinShare * timed, kSpinUs);
  return bounded(
      "same_without_spin", excess, limit, Outcome::kFailed,
      fmt::format("a call by itself takes {:.1f} us longer than a timed one: work begins before the start mark",
                  excess));
}

Check baseline_alone(const Evidence& e) {
  if (!e.base_before_us || !e.base_after_us || !e.timing.samples[kBase])
    return not_told("baseline_alone", "the baseline was not timed without the guest");
  const double within = e.timing.samples[kBase]->median;
  const double alone = std::max(*e.base_before_us, *e.base_after_us);
  return bounded("baseline_alone", within / alone - 1, std::max(kAloneShare, 2 * e.quantum_us / alone),
                 Outcome::kDisturbed,
                 fmt::format("beside the guest the baseline takes {:.2f} us, alone {:.2f} and {:.2f} us", within,
                             *e.base_before_us, *e.base_after_us));
}

// Medians of the flush by its length; what a guest leaves out or pads shows for at least one of the two lengths.
Check same_flush(const SizeTiming& t, double quantum_us) {
  double worst = 0, limit = 0;
  for (const size_t flushes : {size_t{1}, size_t{3}}) {
    std::vector<double> flush[2];
    for (const auto& r : t.rounds)
      if (r.flushes == flushes)
        for (const Sample& s : r.round.result.samples) flush[r.which].push_back(s.flush_us);
    if (flush[kBase].empty() || flush[kCand].empty()) continue;
    const double base = median(flush[kBase]), cand = median(flush[kCand]);
    const double allowed = std::max({kFlushShare * base, kFlushUs, 2 * quantum_us}) / base;
    const double apart = std::abs(cand / base - 1);
    if (limit == 0 || apart / allowed > worst / limit) worst = apart, limit = allowed;
  }
  if (limit == 0) return not_told("same_flush", "no flush was timed on both sides");
  return bounded(
      "same_flush", worst, limit, Outcome::kFailed,
      "the guest's cache flush takes another time than the judge's: it was left out, or the device is shared");
}

Check above_floor(const Evidence& e) {
  if (!e.strict_floor_us || !e.timing.samples[kCand])
    return not_told("above_floor", "no floor is known for this size on this device");
  const double limit = kFloorShare * *e.strict_floor_us, value = e.timing.samples[kCand]->median;
  // Bounded from below: negated, so that the one rule serves.
  Check check = bounded("above_floor", -value, -limit, Outcome::kFailed,
                        fmt::format("{:.2f} us is less than the hardware permits ({:.2f} us)", value, limit));
  check.value = value;
  check.limit = limit;
  return check;
}

Check forgets_inputs(const SizeTiming& t) {
  if (t.same_input_us.size() < 2 || t.fresh_input_us.size() < 2)
    return not_told("forgets_inputs", "not probed at this size");
  const auto logs = [](std::vector<double> times) {
    for (double& x : times) x = std::log(std::max(x, 1e-6));
    return times;
  };
  const auto same = logs(t.same_input_us), fresh = logs(t.fresh_input_us);
  const double gain = mean(fresh) - mean(same);
  const double half = std::hypot(half_width(fresh).value_or(0), half_width(same).value_or(0));
  return bounded("forgets_inputs", gain - half, kRepetitionGain, Outcome::kFailed,
                 "faster on an input that it has just seen: answers are remembered");
}

// A submission that is slow until it believes to be measured. The baseline's own change over the same time is taken
// out: clocks rise for both.
Check same_in_warm_up(const SizeTiming& t) {
  if (!t.samples[kBase] || !t.samples[kCand] || t.warm_up_us[kBase] <= 0)
    return not_told("same_in_warm_up", "nothing was measured");
  const double base = t.samples[kBase]->median / t.warm_up_us[kBase];
  const double expected = t.warm_up_us[kCand] * base, measured = t.samples[kCand]->median;
  return bounded("same_in_warm_up", expected - measured, std::max(kSlowStartShare * measured, kSlowStartUs),
                 Outcome::kFailed,
                 fmt::format("{:.2f} us while warming up, {:.2f} us when measured", expected, measured));
}

Check threads_stable(const Evidence& e) {
  if (!e.threads_before || !e.threads_after) return not_told("threads_stable", "threads were not counted");
  return bounded("threads_stable", static_cast<double>(*e.threads_after), static_cast<double>(*e.threads_before),
                 Outcome::kRemarked, "threads were started while it was timed");
}

Check flag(std::string name, bool raised, Outcome outcome, std::string detail) {
  return {.name = std::move(name),
          .outcome = raised ? outcome : Outcome::kPassed,
          .value = {},
          .limit = {},
          .detail = raised ? std::move(detail) : std::string()};
}

void add_remarks(const Evidence& e, std::vector<Check>& checks) {
  const SizeTiming& t = e.timing;
  const double exposed = t.timed == 0 ? 0 : static_cast<double>(t.exposed) / static_cast<double>(t.timed);
  checks.push_back(bounded("launches_hidden", exposed, kExposedRemark, Outcome::kRemarked,
                           "samples without proof that launch latency was hidden; they are not used"));
  checks.push_back(flag("paced_by_device", t.host_bound[kBase] || t.host_bound[kCand], Outcome::kRemarked,
                        "a call waits for the host: its time has gaps in it"));
  checks.push_back(flag("clocks_alike", t.throttled, Outcome::kDisturbed, "the sides ran at different clocks"));
  if (t.estimate && t.estimate->speedup_cycles) {
    const double gap = std::abs(std::log(t.estimate->speedup.point / *t.estimate->speedup_cycles));
    checks.push_back(bounded("ratio_in_cycles", gap, kCyclesGap, Outcome::kRemarked,
                             "in cycles the ratio is another: the sides react differently to the clocks"));
  } else {
    checks.push_back(not_told("ratio_in_cycles", "the clocks are not known"));
  }
  const double shortest = t.samples[kCand] ? t.samples[kCand]->median : 0;
  checks.push_back(flag("above_launch_latency", shortest > 0 && shortest < kLaunchFloors * e.launch_floor_us,
                        Outcome::kRemarked, "little more than the time of launching anything at all"));
  checks.push_back(flag("cache_released", !t.cache_released[kBase] || !t.cache_released[kCand], Outcome::kRemarked,
                        "the device could not be asked to give back pinned parts of its cache"));
}

}  // namespace

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return "passed";
    case Outcome::kRemarked:
      return "remarked";
    case Outcome::kDisturbed:
      return "disturbed";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kNotTold:
      break;
  }
  return "not told";
}

std::vector<Check> checks_of(const Evidence& e) {
  const SizeTiming& t = e.timing;
  std::vector<Check> checks{outputs_written(t),
                            outputs_right(t),
                            accounting(t),
                            within_bracket(t),
                            beside_stream(t),
                            same_without_spin(t),
                            same_flush(t, e.quantum_us),
                            above_floor(e),
                            forgets_inputs(t),
                            same_in_warm_up(t),
                            flag("stream_unchanged", e.stream_changed, Outcome::kFailed,
                                 "the current stream after a call was not the one before"),
                            baseline_alone(e),
                            threads_stable(e),
                            flag("launches_in_order", e.programmatic_launches > 0, Outcome::kRemarked,
                                 "launches that may begin before the work ahead of them has ended")};
  add_remarks(e, checks);
  return checks;
}

std::optional<std::string> suspicion(const std::vector<Check>& checks) {
  const auto failed = std::ranges::find(checks, Outcome::kFailed, &Check::outcome);
  if (failed == checks.end()) return std::nullopt;
  return fmt::format("{}: {}", failed->name, failed->detail);
}

bool disturbed(const std::vector<Check>& checks) {
  return std::ranges::any_of(checks, [](const Check& c) { return c.outcome == Outcome::kDisturbed; });
}

}  // namespace kbx::timing
