// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace kbx::timing {
namespace {

Estimate estimate_of(double base_us, double cand_us, double half) {
  const auto around = [](double x, double h) { return Interval{x, x * std::exp(-h), x * std::exp(h)}; };
  Estimate e;
  e.speedup = around(base_us / cand_us, half);
  e.base_us = around(base_us, half);
  e.cand_us = around(cand_us, half);
  e.half_width = half;
  e.blocks = 12;
  e.epochs = 4;
  return e;
}

SizeOutcome size(std::string label, double base_us, double cand_us, double half = 0.004) {
  return {.label = std::move(label), .estimate = estimate_of(base_us, cand_us, half)};
}

TEST(Verdict, OfASize) {
  EXPECT_EQ(said_of(Interval{1.05, 1.02, 1.08}).speed, Speed::kFaster);
  EXPECT_EQ(said_of(Interval{0.9, 0.88, 0.92}).speed, Speed::kSlower);
  EXPECT_EQ(said_of(Interval{1.0, 0.995, 1.005}).speed, Speed::kNoDifference);
  const Said open = said_of(Interval{1.01, 0.98, 1.04});
  EXPECT_EQ(open.speed, Speed::kNoEstimate);
  EXPECT_NE(open.reason.find("0.98"), std::string::npos) << open.reason;
  EXPECT_EQ(said_of(Interval{1.015, 1.005, 1.025}).speed, Speed::kNoEstimate);  // above one, but not noticeably
}

TEST(Verdict, WithoutAnEstimateThereIsAReason) {
  const Said none = said_of(std::nullopt);
  EXPECT_EQ(none.speed, Speed::kNoEstimate);
  EXPECT_FALSE(none.reason.empty());
  EXPECT_EQ(said_of(estimate_of(2, 1, 0.001), "accounting failed").speed, Speed::kNoEstimate);
}

TEST(TaskSpeed, HeadlineIsTheSumsVerdictTheGeometricMeans) {
  // Three small sizes twice as slow, one large twice as fast: the sum is ruled by the large one, the verdict is not.
  const std::vector<SizeOutcome> sizes{size("s", 5, 10), size("m", 5, 10), size("l", 5, 10), size("xl", 1000, 500)};
  const TaskSpeed task = task_speed(sizes);
  ASSERT_TRUE(task.headline && task.geometric);
  EXPECT_NEAR(task.headline->point, 1015.0 / 530.0, 1e-12);
  EXPECT_NEAR(task.geometric->point, std::pow(0.5 * 0.5 * 0.5 * 2, 0.25), 1e-12);
  EXPECT_EQ(task.said.speed, Speed::kSlower);
  // Root of the sum of squares, over the number.
  EXPECT_NEAR(std::log(task.geometric->hi / task.geometric->point), std::sqrt(4 * 0.004 * 0.004) / 4, 1e-12);
}

TEST(TaskSpeed, OneSizeIsThatSize) {
  const TaskSpeed task = task_speed(std::vector{size("s", 100, 50, 0.01)});
  EXPECT_NEAR(task.headline->point, 2, 1e-12);
  EXPECT_NEAR(task.headline->lo, 2 * std::exp(-0.01), 1e-12);
  EXPECT_NEAR(task.geometric->hi, 2 * std::exp(0.01), 1e-12);
}

TEST(TaskSpeed, ASizeThatFailedLeavesNoNumber) {
  std::vector<SizeOutcome> sizes{size("2^12", 5, 5), size("2^27", 600, 300)};
  sizes[1].estimate.reset();
  sizes[1].why_not = "wrong value";
  const TaskSpeed task = task_speed(sizes);
  EXPECT_FALSE(task.headline);
  EXPECT_FALSE(task.geometric);
  EXPECT_EQ(task.said.speed, Speed::kNoEstimate);
  EXPECT_EQ(task.said.reason, "size '2^27': wrong value");
  EXPECT_FALSE(task_speed({}).headline);
  // Nor one whose timing is suspect, though it has numbers.
  sizes[1] = size("2^27", 600, 300);
  sizes[1].why_not = "accounting: invented";
  EXPECT_FALSE(task_speed(sizes).headline);
  EXPECT_EQ(task_speed(sizes).said.reason, "size '2^27': accounting: invented");
}

}  // namespace
}  // namespace kbx::timing
