// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/size_timer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <set>

#include "kbx/timing/fake_device.h"
#include "kbx/timing/sweep.h"

namespace kbx::timing {
namespace {

// One card, a baseline in the judge, a guest.
struct Table {
  std::shared_ptr<FakeGpu> card;
  FakeGpu& gpu = *card;
  FakeDevice device{gpu};
  FakeWork base_work;
  LocalSide base{device, gpu, base_work};
  FakeGuest cand;
  Random random{"secret"};
  Instrument instrument{.null_us = 0.5, .quantum_us = 0.032, .mhz = 1980};

  Table(FakeWork::Shape base_shape, FakeWork::Shape cand_shape, std::shared_ptr<FakeGpu> shared = nullptr)
      : card(shared ? shared : std::make_shared<FakeGpu>()), base_work(device, base_shape), cand(gpu, cand_shape) {}

  SizeTiming measure(const Options& options, bool probe = false) {
    SizeTimer timer("2^20", 5, options, instrument, gpu, random);
    for (size_t epoch = 0; !timer.done(); ++epoch)
      if (!timer.visit({.base = &base, .cand = &cand}, epoch, probe && epoch == 0)) break;
    return timer.result();
  }
};

TEST(SizeTimer, FindsTheRatio) {
  Table table({.kernel_us = 100}, {.kernel_us = 60});
  const SizeTiming t = table.measure(standard_options());
  ASSERT_TRUE(t.estimate);
  EXPECT_NEAR(t.estimate->speedup.point, 100.5 / 60.5, 0.01);  // a mark's half microsecond is on both sides
  EXPECT_TRUE(t.converged);
  EXPECT_LE(t.estimate->half_width, 0.005);
  EXPECT_GE(t.estimate->blocks, 12u);
  EXPECT_GE(t.estimate->epochs, 4u);
  EXPECT_NEAR(t.samples[kBase]->median, 100.5, 1);
  EXPECT_NEAR(t.samples[kCand]->median, 60.5, 1);
  EXPECT_EQ(t.rounds.size(), 4 * t.blocks.size());
  EXPECT_NEAR(t.blocks[0].base_mhz, 1980, 20);
  EXPECT_LT(t.wall_us, 0.5e6);
}

TEST(SizeTimer, PythonInTheCallDoesNotMoveTheResult) {
  // T2 of the specification: within 1 % with and without 500 us before the launch.
  const auto with_delay = [](double python_us) {
    Table table({.kernel_us = 50}, {.kernel_us = 50, .python_us = python_us});
    const SizeTiming t = table.measure(standard_options());
    EXPECT_FALSE(t.host_bound[kCand]);
    EXPECT_GT(t.spin_us, python_us);
    return t.estimate->cand_us.point;
  };
  EXPECT_NEAR(with_delay(500) / with_delay(0), 1, 0.01);
}

TEST(SizeTimer, ACallThatWaitsIsBoundByTheHostAndSaysSo) {
  Table table({.kernel_us = 50}, {.kernel_us = 50, .synchronizes = true});
  const SizeTiming t = table.measure(standard_options());
  EXPECT_TRUE(t.host_bound[kCand]);
  EXPECT_FALSE(t.host_bound[kBase]);
  ASSERT_TRUE(t.estimate);
  EXPECT_LT(t.spin_us, 100);  // back to what the other side needs
  EXPECT_LT(t.estimate->speedup.point, 1);
}

TEST(SizeTimer, HiccupsOfTheHostAreLeftOut) {
  Table calm({.kernel_us = 20}, {.kernel_us = 20}), rough({.kernel_us = 20}, {.kernel_us = 20});
  rough.gpu.hiccup_share = 0.01;
  const SizeTiming t = rough.measure(standard_options());
  EXPECT_GT(t.exposed, 0u);
  EXPECT_FALSE(t.host_bound[kCand]);
  ASSERT_TRUE(t.estimate);
  EXPECT_NEAR(t.estimate->cand_us.point, calm.measure(standard_options()).estimate->cand_us.point, 0.3);
}

// The candidate's side with something done to every round.
struct Between : Side {
  Between(Side& side, std::function<void(const RoundSpec&, Round&)> change) : inner(side), act(std::move(change)) {}
  std::optional<Round> round(const RoundSpec& spec) override {
    auto r = inner.round(spec);
    if (r) act(spec, *r);
    return r;
  }
  Side& inner;
  std::function<void(const RoundSpec&, Round&)> act;
};

SizeTiming measure_between(Table& table, const Options& options, std::function<void(const RoundSpec&, Round&)> change) {
  Between cand(table.cand, std::move(change));
  SizeTimer timer("x", 5, options, table.instrument, table.gpu, table.random);
  for (size_t epoch = 0; !timer.done(); ++epoch)
    EXPECT_TRUE(timer.visit({.base = &table.base, .cand = &cand}, epoch, epoch == 0));
  return timer.result();
}

TEST(SizeTimer, ExposedSamplesAreNeverUsed) {
  Table table({.kernel_us = 20}, {.kernel_us = 20});
  const SizeTiming t = measure_between(table, standard_options(), [](const RoundSpec& spec, Round& round) {
    if (spec.kind != RoundSpec::Kind::kTimed || spec.inputs.size() < 10) return;
    round.result.samples.back().exposed = true;
    round.result.samples.back().call_us = 1;
  });
  EXPECT_GT(t.exposed, 20u);
  EXPECT_GT(t.samples[kCand]->min, 15);
  EXPECT_FALSE(t.host_bound[kCand]);
}

TEST(SizeTimer, InShortRoundsOneExposedSampleLengthensTheSpin) {
  Table table({.kernel_us = 1500}, {.kernel_us = 1500});
  const auto needed = static_cast<uint64_t>(300 * 1980);
  const SizeTiming t = measure_between(table, standard_options(), [&](const RoundSpec& spec, Round& round) {
    if (spec.kind == RoundSpec::Kind::kTimed && spec.spin_cycles < needed) round.result.samples.back().exposed = true;
  });
  EXPECT_GE(t.spin_us, 300);
  EXPECT_LT(t.spin_us, 600);
}

TEST(SizeTimer, WhatIsCoveredNowAndThenIsNotBoundByTheHost) {
  Table table({.kernel_us = 20}, {.kernel_us = 20});
  const SizeTiming t = measure_between(table, quick_options(), [&](const RoundSpec& spec, Round& round) {
    if (spec.kind != RoundSpec::Kind::kTimed) return;
    for (size_t i = 0; i < round.result.samples.size(); i += 2) round.result.samples[i].exposed = true;
  });
  EXPECT_FALSE(t.host_bound[kCand]);
  EXPECT_TRUE(t.estimate);
}

TEST(SizeTimer, WarmsUpUntilTheTimesStand) {
  // The first hundred calls take up to six times as long, less and less.
  Table table({.kernel_us = 100}, {.kernel_us = 100});
  size_t calls = 0;
  const SizeTiming t = measure_between(table, quick_options(), [&](const RoundSpec&, Round& round) {
    for (Sample& s : round.result.samples)
      if (calls++ < 100) s.call_us *= 1 + 0.05 * static_cast<double>(100 - calls);
  });
  EXPECT_NEAR(t.warm_up_us[kCand], 100.5, 3);
}

TEST(SizeTimer, NoInputComesTwiceInARowAndAllCome) {
  Table table({.kernel_us = 20}, {.kernel_us = 20});
  std::set<size_t> seen;
  size_t repeating = 0, rounds = 0;
  (void)measure_between(table, standard_options(), [&](const RoundSpec& spec, Round&) {
    if (spec.kind != RoundSpec::Kind::kTimed) return;
    size_t again = 0;
    for (size_t i = 1; i < spec.inputs.size(); ++i) again += spec.inputs[i] == spec.inputs[i - 1] ? 1u : 0u;
    // The probe for a memory of inputs repeats one in the whole round; nothing else repeats at all.
    EXPECT_TRUE(again == 0 || again == spec.inputs.size() - 1) << again;
    repeating += again > 0 ? 1u : 0u;
    ++rounds;
    seen.insert(spec.inputs.begin(), spec.inputs.end());
  });
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_EQ(repeating, 4u);
  EXPECT_GT(rounds, 20u);
}

TEST(SizeTimer, SomeBlocksHaveALongerFlushOnBothSides) {
  Table table({.kernel_us = 20}, {.kernel_us = 20});
  Options options = standard_options();
  options.epochs_min = options.epochs_max = 20;
  const SizeTiming t = table.measure(options);
  size_t longer = 0;
  for (size_t i = 0; i < t.rounds.size(); i += 4) {
    for (size_t k = 1; k < 4; ++k) EXPECT_EQ(t.rounds[i + k].flushes, t.rounds[i].flushes);
    longer += t.rounds[i].flushes > 1 ? 1u : 0u;
  }
  EXPECT_GT(longer, 0u);
  EXPECT_LT(longer, t.blocks.size() / 2);
}

TEST(SizeTimer, BlocksAreMirrored) {
  Table table({.kernel_us = 20}, {.kernel_us = 20});
  const SizeTiming t = table.measure(standard_options());
  for (size_t i = 0; i < t.rounds.size(); i += 4) {
    EXPECT_EQ(t.rounds[i].which, t.rounds[i + 3].which);
    EXPECT_EQ(t.rounds[i + 1].which, t.rounds[i + 2].which);
    EXPECT_NE(t.rounds[i].which, t.rounds[i + 1].which);
  }
}

TEST(SizeTimer, AClaimOfNoTimeCountsAsAStepOfTheClock) {
  Table table({.kernel_us = 20}, {.kernel_us = 20});
  const SizeTiming t = measure_between(table, quick_options(), [](const RoundSpec&, Round& round) {
    for (Sample& s : round.result.samples) s.call_us = 0;
  });
  ASSERT_TRUE(t.estimate);
  EXPECT_NEAR(t.estimate->cand_us.point, 0.032, 1e-12);
}

TEST(SizeTimer, TheGuestsSpinDoesNotSetTheJudgesClock) {
  Table table({.kernel_us = 20}, {.kernel_us = 20});
  std::set<uint64_t> cycles;
  (void)measure_between(table, quick_options(), [&](const RoundSpec& spec, Round& round) {
    if (spec.kind == RoundSpec::Kind::kTimed) cycles.insert(spec.spin_cycles);
    for (Sample& s : round.result.samples) s.spin_us *= 0.1;
  });
  EXPECT_LT(*cycles.rbegin(), 1.5e5);  // not ten times what covers the launch
}

TEST(SizeTimer, HasItsEpochsThoughTheBlocksWouldDo) {
  Table table({.kernel_us = 100}, {.kernel_us = 60});
  Options options = standard_options();
  options.epochs_min = 5;  // three blocks each: twelve are there after four
  EXPECT_GE(table.measure(options).estimate->epochs, 5u);
}

TEST(SizeTimer, SpendsNoMoreThanItsCapAndSaysThatItDidNotConverge) {
  Table table({.kernel_us = 5}, {.kernel_us = 5});
  table.gpu.noise_share = 0.5;
  Options options = standard_options();
  options.cap_us = 0.2e6;
  const SizeTiming t = table.measure(options);
  EXPECT_FALSE(t.converged);
  ASSERT_TRUE(t.estimate);
  EXPECT_GE(t.estimate->blocks, 4u);
  EXPECT_LT(t.wall_us, 1e6);
}

TEST(SizeTimer, SlowKernelsGetFewCalls) {
  Table table({.kernel_us = 60e3}, {.kernel_us = 50e3});
  const SizeTiming t = table.measure(standard_options());
  ASSERT_TRUE(t.estimate);
  EXPECT_NEAR(t.estimate->speedup.point, 1.2, 0.02);
  EXPECT_EQ(t.estimate->epochs, 4u);
  EXPECT_LE(t.samples[kBase]->n, 2 * t.blocks.size());
}

TEST(SizeTimer, QuickIsOneEpoch) {
  Table table({.kernel_us = 100}, {.kernel_us = 60});
  const SizeTiming t = table.measure(quick_options());
  ASSERT_TRUE(t.estimate);
  EXPECT_EQ(t.estimate->epochs, 1u);
  EXPECT_GE(t.estimate->blocks, 12u);
}

TEST(SizeTimer, BlocksWithClocksApartAreDiscardedThenMarked) {
  // The clock falls by a tenth whenever the card has just changed hands: one side's rounds only.
  Table table({.kernel_us = 100}, {.kernel_us = 100});
  size_t reads = 0;
  table.instrument.throttle_reasons = [&]() -> std::vector<std::string> {
    return ++reads % 4 == 1 ? std::vector<std::string>{"power cap"} : std::vector<std::string>{};
  };
  const SizeTiming t = table.measure(standard_options());
  EXPECT_TRUE(t.throttled);
  EXPECT_GE(t.blocks_discarded, 5u);
  EXPECT_EQ(t.throttle_reasons, std::vector<std::string>{"power cap"});
  ASSERT_TRUE(t.estimate);  // the number is there, with its mark
}

TEST(SizeTimer, TheClockIsReadOffTheSpin) {
  Table table({.kernel_us = 100}, {.kernel_us = 100});
  table.gpu.clock_share = [](double) { return 0.7; };
  const SizeTiming t = table.measure(standard_options());
  EXPECT_NEAR(t.blocks.back().base_mhz, 0.7 * 1980, 15);
  EXPECT_NEAR(t.blocks.back().cand_mhz, 0.7 * 1980, 15);
}

TEST(SizeTimer, AGuestThatDiesEndsItAndLeavesWhatWasMeasured) {
  Table table({.kernel_us = 100}, {.kernel_us = 60});
  table.cand.rounds_until_death = 20;
  SizeTimer timer("x", 5, standard_options(), table.instrument, table.gpu, table.random);
  bool going = true;
  for (size_t epoch = 0; going && epoch < 10; ++epoch) going = timer.visit({&table.base, &table.cand}, epoch);
  EXPECT_FALSE(going);
  EXPECT_FALSE(timer.done());
}

TEST(SizeTimer, OrderAndInputsCannotBeForeseenButCanBeRepeated) {
  const auto first_sides = [](const std::string& secret) {
    Table table({.kernel_us = 100}, {.kernel_us = 60});
    table.random = Random(secret);
    const SizeTiming t = table.measure(standard_options());
    std::vector<Which> order;
    for (size_t i = 0; i < t.rounds.size(); i += 4) order.push_back(t.rounds[i].which);
    return order;
  };
  EXPECT_EQ(first_sides("a"), first_sides("a"));
  EXPECT_NE(first_sides("a"), first_sides("b"));
  EXPECT_EQ(std::set<Which>({kBase, kCand}), [&] {
    const auto order = first_sides("a");
    return std::set<Which>(order.begin(), order.end());
  }());
}

TEST(SizeTimer, BaselineAlone) {
  Table table({.kernel_us = 100}, {.kernel_us = 60});
  SizeTimer timer("x", 5, standard_options(), table.instrument, table.gpu, table.random);
  EXPECT_NEAR(*timer.alone(table.base), 100.5, 1);
}

// The sizes of a task over fakes; notes the order in which they are entered.
struct Source : SizeSource {
  Table small{{.kernel_us = 10}, {.kernel_us = 5}}, large{{.kernel_us = 400}, {.kernel_us = 400}, small.card};
  std::vector<size_t> entered;
  size_t count() const override { return 2; }
  std::string label(size_t size) const override { return size == 0 ? "small" : "large"; }
  size_t pool(size_t) const override { return 5; }
  std::optional<Sides> enter(size_t size) override {
    entered.push_back(size);
    Table& table = size == 0 ? small : large;
    return Sides{.base = &table.base, .cand = &table.cand};
  }
};

TEST(TimeSizes, VisitsEverySizeOnceAnEpoch) {
  Source source;
  const Sweep sweep =
      time_sizes(source, standard_options(), source.small.instrument, source.small.gpu, source.small.random);
  EXPECT_FALSE(sweep.failed_at);
  ASSERT_EQ(sweep.sizes.size(), 2u);
  EXPECT_EQ(sweep.sizes[0].label, "small");
  EXPECT_NEAR(sweep.sizes[0].estimate->speedup.point, 10.5 / 5.5, 0.03);
  EXPECT_NEAR(sweep.sizes[1].estimate->speedup.point, 1, 0.01);
  ASSERT_GE(source.entered.size(), 8u);
  for (size_t i = 0; i < 8; i += 2) EXPECT_NE(source.entered[i], source.entered[i + 1]);
  std::set<size_t> first;
  for (size_t i = 0; i < 8; i += 2) first.insert(source.entered[i]);
  EXPECT_EQ(first.size(), 2u);  // the order is drawn anew
  // One of them was probed for a memory of its inputs.
  EXPECT_NE(sweep.sizes[0].same_input_us.empty(), sweep.sizes[1].same_input_us.empty());
}

TEST(TimeSizes, NamesTheSizeAtWhichASideFailed) {
  Source source;
  source.large.cand.rounds_until_death = 3;
  const Sweep sweep =
      time_sizes(source, standard_options(), source.small.instrument, source.small.gpu, source.small.random);
  EXPECT_EQ(sweep.failed_at, 1u);
  EXPECT_EQ(sweep.sizes.size(), 2u);
  EXPECT_FALSE(sweep.sizes[1].estimate);
}

TEST(QuickSizes, SmallestMiddleLargest) {
  EXPECT_EQ(quick_sizes(16), (std::vector<size_t>{0, 8, 15}));
  EXPECT_EQ(quick_sizes(3), (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(quick_sizes(2), (std::vector<size_t>{0, 1}));
  EXPECT_EQ(quick_sizes(1), std::vector<size_t>{0});
  EXPECT_TRUE(quick_sizes(0).empty());
}

TEST(BurnIn, WaitsUntilTheClockStands) {
  Table table({.kernel_us = 100}, {.kernel_us = 100});
  // Ramps from 345 MHz to full within 0.8 s, as an idle card does.
  table.gpu.clock_share = [](double now) { return std::min(1.0, 0.17 + now / 0.8e6 * 0.83); };
  const auto mhz = burn_in(table.base, table.instrument, table.gpu);
  EXPECT_NEAR(*mhz, 1980, 20);
  EXPECT_GT(table.gpu.now, 0.7e6);
  EXPECT_LT(table.gpu.now, 2.2e6);
}

TEST(BurnIn, LastsAWhileThoughTheClockSeemsToStand) {
  Table table({.kernel_us = 100}, {.kernel_us = 100});
  EXPECT_TRUE(burn_in(table.base, table.instrument, table.gpu));
  EXPECT_GT(table.gpu.now, 0.3e6);
  EXPECT_LT(table.gpu.now, 0.5e6);
}

TEST(PickedForChecking, AnEighthAtLeastTwo) {
  Random random("secret");
  EXPECT_EQ(picked_for_checking(random, 1).size(), 1u);
  EXPECT_EQ(picked_for_checking(random, 4).size(), 2u);
  EXPECT_EQ(picked_for_checking(random, 33).size(), 5u);
  std::set<size_t> seen;
  for (int i = 0; i < 100; ++i)
    for (const size_t slot : picked_for_checking(random, 8)) seen.insert(slot);
  EXPECT_EQ(seen.size(), 8u);
}

}  // namespace
}  // namespace kbx::timing
