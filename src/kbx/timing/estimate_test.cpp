// SPDX-License-Identifier: Apache-2.0
// Values to compare with are from SciPy 1.17.1, by the expressions in the comments.
#include "kbx/timing/estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace kbx::timing {
namespace {

Block block(size_t epoch, double base_us, double cand_us) {
  return {.epoch = epoch, .base_us = base_us, .cand_us = cand_us};
}

const std::vector<Block> kBlocks{block(0, 100, 50.5), block(0, 101, 50), block(0, 102, 50.2),
                                 block(1, 99, 51),    block(1, 98, 51),  block(1, 98.5, 50.8)};

TEST(Estimate, HalfWidthIsTheLargerOfBlocksAndEpochs) {
  // r = np.log(base / cand); J = 6
  // t.ppf(.975, 5) * std(r, ddof=1) / sqrt(6) = half_blocks
  // m = r.reshape(2, 3).mean(1); t.ppf(.975, 1) * std(m, ddof=1) / sqrt(2) = half_epochs
  const auto e = estimate(kBlocks, 0.032);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->blocks, 6u);
  EXPECT_EQ(e->epochs, 2u);
  EXPECT_NEAR(e->speedup.point, 1.9718550198056535, 1e-12);  // np.exp(r.mean())
  EXPECT_NEAR(e->half_blocks, 0.024362569015196657, 1e-9);
  EXPECT_NEAR(e->half_epochs, 0.24704227193852496, 1e-8);
  EXPECT_DOUBLE_EQ(e->half_width, e->half_epochs);
  EXPECT_NEAR(std::log(e->speedup.hi / e->speedup.point), e->half_width, 1e-12);
  EXPECT_NEAR(std::log(e->speedup.point / e->speedup.lo), e->half_width, 1e-12);
}

TEST(Estimate, OneBlockIsNoEstimate) {
  EXPECT_FALSE(estimate({}, 0.032));
  EXPECT_FALSE(estimate(std::vector{block(0, 100, 50)}, 0.032));
}

TEST(Estimate, OneEpochHasNoSpreadOfEpochs) {
  const auto e = estimate(std::vector{block(0, 100, 50), block(0, 101, 50)}, 0.032);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->epochs, 1u);
  EXPECT_EQ(e->half_epochs, 0);
  EXPECT_GT(e->half_blocks, 0);
}

TEST(Estimate, ASeriesOfEqualReadingsIsNotKnownExactly) {
  const std::vector<Block> same(12, block(0, 4, 2));
  const auto e = estimate(same, 0.032);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->half_blocks, 0);
  // 0.032 / sqrt(12 * 12) * hypot(1 / 4, 1 / 2)
  EXPECT_NEAR(e->half_width, 0.00149071198499986, 1e-15);
  EXPECT_GT(e->speedup.hi, e->speedup.lo);
}

TEST(Estimate, DriftThatBothSidesShareIsNotInTheRatio) {
  std::vector<Block> drifting;
  for (int i = 0; i < 12; ++i)
    drifting.push_back(block(static_cast<size_t>(i) / 3, 100 * (1 + i * 0.01), 50 * (1 + i * 0.01)));
  const auto e = estimate(drifting, 0.001);
  EXPECT_NEAR(e->speedup.point, 2, 1e-12);
  EXPECT_LT(e->half_width, 1e-4);
  EXPECT_GT(std::log(e->base_us.hi / e->base_us.lo), 0.03);  // but in the times it is
}

TEST(Estimate, RatioOfCyclesNeedsTheClocksOfEveryBlock) {
  std::vector<Block> blocks{block(0, 100, 50), block(0, 100, 50)};
  EXPECT_FALSE(estimate(blocks, 0.032)->speedup_cycles);
  blocks[0].base_mhz = blocks[1].base_mhz = 1980;
  blocks[0].cand_mhz = blocks[1].cand_mhz = 1800;
  EXPECT_NEAR(*estimate(blocks, 0.032)->speedup_cycles, 2.0 * 1980 / 1800, 1e-12);
}

}  // namespace
}  // namespace kbx::timing
