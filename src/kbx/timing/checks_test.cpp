// SPDX-License-Identifier: Apache-2.0
// Every attack of the specification's T9, against a simulated card, has to be met by a check that has a name; and
// honest work of many lengths by none. What a real card does is measured by the acceptance suite.
#include "kbx/timing/checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "kbx/timing/fake_device.h"
#include "kbx/timing/size_timer.h"

namespace kbx::timing {
namespace {

using Outcome = Check::Outcome;

struct Measured {
  SizeTiming timing;
  std::vector<Check> checks;
  const Check& named(const std::string& name) const {
    const auto at = std::ranges::find(checks, name, &Check::name);
    if (at == checks.end()) throw std::runtime_error("no check named " + name);
    return *at;
  }
  std::vector<std::string> with(Outcome outcome) const {
    std::vector<std::string> names;
    for (const Check& c : checks)
      if (c.outcome == outcome) names.push_back(c.name);
    return names;
  }
};

// A whole measurement as the judge makes it: baseline alone, beside the guest, alone again.
Measured measure(FakeWork::Shape base_shape, FakeWork::Shape cand_shape, Cheat cheat, uint64_t seed = 1) {
  FakeGpu gpu(seed);
  FakeDevice device(gpu);
  FakeWork work(device, base_shape);
  LocalSide base(device, gpu, work);
  Random random("secret" + std::to_string(seed));
  const Instrument instrument{.null_us = 0.5, .quantum_us = 0.032, .mhz = 1980};
  const auto alone = [&] { return SizeTimer("x", 5, standard_options(), instrument, gpu, random).alone(base); };

  const auto before = alone();
  FakeGuest guest(gpu, cand_shape, cheat);
  const size_t threads_before = guest.work().threads();
  SizeTimer timer("x", 5, standard_options(), instrument, gpu, random);
  for (size_t epoch = 0; !timer.done(); ++epoch)
    EXPECT_TRUE(timer.visit({.base = &base, .cand = &guest}, epoch, epoch == 0));
  gpu.drift = [](double) { return 0.0; };  // whatever the guest left running ends with it
  const auto after = alone();

  Measured m{.timing = timer.result(), .checks = {}};
  m.checks = checks_of({.timing = m.timing,
                        .quantum_us = 0.032,
                        .launch_floor_us = 2,
                        .base_before_us = before,
                        .base_after_us = after,
                        .strict_floor_us = 0.9 * cand_shape.kernel_us,
                        .threads_before = threads_before,
                        .threads_after = guest.work().threads(),
                        .programmatic_launches = cheat == Cheat::kEarlyLaunch ? size_t{100} : 0});
  return m;
}

class Attack : public testing::TestWithParam<std::tuple<const char*, Cheat, const char*, Outcome>> {};

TEST_P(Attack, IsMetByAName) {
  const auto& [title, cheat, check, outcome] = GetParam();
  const Measured m = measure({.kernel_us = 150}, {.kernel_us = 150}, cheat);
  const Check& met = m.named(check);
  EXPECT_EQ(name_of(met.outcome), name_of(outcome)) << title;
  EXPECT_FALSE(met.detail.empty());
  EXPECT_EQ(suspicion(m.checks).has_value(), !m.with(Outcome::kFailed).empty());
}

// The letters are those of T9.
INSTANTIATE_TEST_SUITE_P(
    T9, Attack,
    testing::Values(std::tuple{"a_side_stream", Cheat::kSideStream, "outputs_written", Outcome::kFailed},
                    std::tuple{"a_side_stream_lag", Cheat::kSideStream, "beside_stream", Outcome::kFailed},
                    std::tuple{"b_thread", Cheat::kThread, "beside_stream", Outcome::kFailed},
                    std::tuple{"b_thread_count", Cheat::kThread, "threads_stable", Outcome::kRemarked},
                    std::tuple{"c_elapsed_time", Cheat::kElapsedTime, "accounting", Outcome::kFailed},
                    std::tuple{"d_cache", Cheat::kCacheByPointer, "outputs_right", Outcome::kFailed},
                    std::tuple{"e_batch_and_skip", Cheat::kBatchAndSkip, "outputs_right", Outcome::kFailed},
                    std::tuple{"f_lazy_output", Cheat::kLazyOutput, "outputs_written", Outcome::kFailed},
                    std::tuple{"g_skipped_flush", Cheat::kSkippedFlush, "same_flush", Outcome::kFailed},
                    std::tuple{"h_early_launch", Cheat::kEarlyLaunch, "same_without_spin", Outcome::kFailed},
                    std::tuple{"h_early_launch_seen", Cheat::kEarlyLaunch, "launches_in_order", Outcome::kRemarked},
                    std::tuple{"i_background", Cheat::kBackground, "baseline_alone", Outcome::kDisturbed},
                    std::tuple{"j_sleep_in_warm_up", Cheat::kSleepInWarmUp, "same_in_warm_up", Outcome::kFailed},
                    std::tuple{"k_pinned_cache", Cheat::kPinnedCache, "above_floor", Outcome::kFailed},
                    std::tuple{"l_skips_some", Cheat::kSkipsSome, "outputs_written", Outcome::kFailed},
                    std::tuple{"m_remembers_input", Cheat::kRemembersInput, "forgets_inputs", Outcome::kFailed}),
    [](const auto& one) { return std::string(std::get<0>(one.param)); });

TEST(Checks, HonestWorkOfManyLengthsIsMetByNone) {
  uint64_t seed = 1;
  for (const double us : {3.0, 8.0, 25.0, 90.0, 400.0, 3000.0, 15000.0}) {
    for (const double ratio : {0.5, 1.0, 3.0}) {
      for (const double python : {0.0, 40.0}) {
        const Measured m =
            measure({.kernel_us = us}, {.kernel_us = us * ratio, .python_us = python}, Cheat::kNone, ++seed);
        EXPECT_EQ(m.with(Outcome::kFailed), std::vector<std::string>()) << us << " us, ratio " << ratio;
        EXPECT_EQ(m.with(Outcome::kDisturbed), std::vector<std::string>()) << us << " us, ratio " << ratio;
        EXPECT_FALSE(suspicion(m.checks));
      }
    }
  }
}

TEST(Checks, NamesAreUnique) {
  const Measured m = measure({}, {}, Cheat::kNone);
  std::map<std::string, int> count;
  for (const Check& c : m.checks) EXPECT_EQ(++count[c.name], 1) << c.name;
}

TEST(Checks, WithoutEvidenceTheySaySoInsteadOfPassing) {
  const SizeTiming nothing;
  const auto checks = checks_of({.timing = nothing});
  for (const char* name : {"outputs_right", "accounting", "beside_stream", "same_without_spin", "same_flush",
                           "above_floor", "forgets_inputs", "same_in_warm_up", "baseline_alone", "threads_stable"}) {
    const auto at = std::ranges::find(checks, name, &Check::name);
    ASSERT_NE(at, checks.end()) << name;
    EXPECT_EQ(at->outcome, Outcome::kNotTold) << name;
    EXPECT_FALSE(at->detail.empty()) << name;
  }
}

// The figures of a measurement, written out.
SizeTiming two_rounds_a_side() {
  SizeTiming t;
  t.blocks.push_back({.epoch = 0, .base_us = 50, .cand_us = 100});
  t.empty_us[kBase] = {100, 100};
  t.empty_us[kCand] = {180, 180};
  for (const Which which : {kBase, kCand, kCand, kBase}) {
    Round round{.bracket_us = which == kBase ? 1000.0 : 1280.0};
    round.result.samples.resize(4, {.call_us = which == kBase ? 50.0 : 100.0, .flush_us = 25, .spin_us = 50});
    t.rounds.push_back({.which = which, .block = 0, .flushes = 1, .round = round});
  }
  t.samples[kBase] = Summary{.median = 50, .n = 8};
  t.samples[kCand] = Summary{.median = 100, .n = 8};
  return t;
}

const Check& check_of(const std::vector<Check>& checks, const std::string& name) {
  return *std::ranges::find(checks, name, &Check::name);
}

TEST(Checks, AccountingAddsUp) {
  // Around a call: (2 * 1000 - 2 * 100 - 8 * 50) / 8 = 175 us. Candidate: (2 * 1280 - 2 * 180) / 8 - 175 = 100 us.
  SizeTiming t = two_rounds_a_side();
  const auto value = [&] { return *check_of(checks_of({.timing = t}), "accounting").value; };
  EXPECT_NEAR(value(), 0, 1e-9);
  for (auto& r : t.rounds)
    if (r.which == kCand) r.round.bracket_us += 40;
  EXPECT_NEAR(value(), 10, 1e-9);
  EXPECT_EQ(check_of(checks_of({.timing = t}), "accounting").outcome, Outcome::kRemarked);
  // A claim of more than there is room for is as wrong as one of less.
  for (const double change : {160.0, -320.0}) {
    for (auto& r : t.rounds)
      if (r.which == kCand) r.round.bracket_us += change;
    EXPECT_NEAR(value(), change > 0 ? 50 : 30, 1e-9);
    EXPECT_EQ(check_of(checks_of({.timing = t}), "accounting").outcome, Outcome::kFailed);
  }
  t.host_bound[kCand] = true;
  EXPECT_EQ(check_of(checks_of({.timing = t}), "accounting").outcome, Outcome::kNotTold);
}

TEST(Checks, BaselineIsComparedWithTheSlowerOfBothTimesAlone) {
  const SizeTiming t = two_rounds_a_side();
  const auto outcome = [&](double before, double after) {
    return check_of(checks_of({.timing = t, .base_before_us = before, .base_after_us = after}), "baseline_alone")
        .outcome;
  };
  EXPECT_EQ(outcome(50, 50), Outcome::kPassed);
  EXPECT_EQ(outcome(45, 50), Outcome::kPassed);  // the card has become slower by itself
  EXPECT_EQ(outcome(45, 46), Outcome::kDisturbed);
}

TEST(Checks, AClockThatRisesForBothIsNoSlowStart) {
  SizeTiming t = two_rounds_a_side();
  t.warm_up_us[kBase] = 100;
  t.warm_up_us[kCand] = 200;
  EXPECT_EQ(check_of(checks_of({.timing = t}), "same_in_warm_up").outcome, Outcome::kPassed);
  t.warm_up_us[kBase] = 50;
  EXPECT_EQ(check_of(checks_of({.timing = t}), "same_in_warm_up").outcome, Outcome::kFailed);
}

TEST(Checks, AGainWithinTheNoiseIsNoMemory) {
  SizeTiming t = two_rounds_a_side();
  t.same_input_us = {80, 120, 90, 100};
  t.fresh_input_us = {105, 104, 106, 105};
  EXPECT_EQ(check_of(checks_of({.timing = t}), "forgets_inputs").outcome, Outcome::kPassed);
  t.same_input_us = {90, 91, 90, 91};
  EXPECT_EQ(check_of(checks_of({.timing = t}), "forgets_inputs").outcome, Outcome::kFailed);
}

TEST(Checks, AGuestThatClaimsMoreThanPassedIsRefused) {
  Measured m = measure({}, {}, Cheat::kNone);
  for (auto& r : m.timing.rounds)
    if (r.which == kCand) r.round.result.samples[0].spin_us = 1e6;
  const auto checks = checks_of({.timing = m.timing});
  EXPECT_EQ(std::ranges::find(checks, "within_bracket", &Check::name)->outcome, Outcome::kFailed);
}

TEST(Checks, PaddingIsSeenByTheLongerFlush) {
  // Leaves the flush out and idles for as long as one flush takes: right for one length, wrong for three.
  Measured m = measure({.kernel_us = 20}, {.kernel_us = 20}, Cheat::kNone);
  bool long_flush = false;
  for (auto& r : m.timing.rounds) {
    if (r.which != kCand || r.flushes != 3) continue;
    long_flush = true;
    for (Sample& s : r.round.result.samples) s.flush_us /= 3;
  }
  ASSERT_TRUE(long_flush);
  const auto checks = checks_of({.timing = m.timing});
  EXPECT_EQ(std::ranges::find(checks, "same_flush", &Check::name)->outcome, Outcome::kFailed);
}

}  // namespace
}  // namespace kbx::timing
