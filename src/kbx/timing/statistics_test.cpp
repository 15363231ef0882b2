// SPDX-License-Identifier: Apache-2.0
// Values to compare with are from SciPy 1.17.1 and numpy, by the expressions in the comments.
#include "kbx/timing/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kbx::timing {
namespace {

const std::vector<double> kReadings{5.056, 4.992, 5.12, 5.088, 4.928, 7.264, 5.056, 5.024, 4.96, 5.184, 5.056};

TEST(Statistics, QuantilesAreNumpys) {
  // np.quantile(v, q)
  std::vector<double> sorted = kReadings;
  std::ranges::sort(sorted);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.1), 4.96);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.25), 5.008);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.5), 5.056);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.75), 5.104);
  EXPECT_DOUBLE_EQ(quantile(sorted, 1), 7.264);
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(median({7}), 7);
}

TEST(Statistics, SummaryKeepsTheOutlierAndIsNotMovedByIt) {
  const auto s = summarise(kReadings);
  ASSERT_TRUE(s);
  EXPECT_DOUBLE_EQ(s->median, 5.056);
  EXPECT_DOUBLE_EQ(s->p90, 5.184);
  EXPECT_DOUBLE_EQ(s->min, 4.928);
  EXPECT_NEAR(s->mad, 0.064, 1e-12);  // np.median(np.abs(v - np.median(v)))
  EXPECT_EQ(s->n, 11u);
  EXPECT_FALSE(summarise({}));
}

TEST(Statistics, DeviationHasNMinusOne) {
  EXPECT_NEAR(*deviation(kReadings), 0.6724569874720613, 1e-13);  // np.std(v, ddof=1)
  EXPECT_NEAR(mean(kReadings), 5.248, 1e-13);
  const std::vector<double> one{3};
  EXPECT_FALSE(deviation(one));
}

TEST(Statistics, StudentsTIsScipys) {
  // scipy.stats.t.ppf(p, df)
  EXPECT_NEAR(student_t(0.975, 1), 12.706204736174694, 1e-9);
  EXPECT_NEAR(student_t(0.975, 2), 4.302652729749462, 1e-10);
  EXPECT_NEAR(student_t(0.975, 3), 3.1824463052837078, 1e-10);
  EXPECT_NEAR(student_t(0.975, 11), 2.200985160091639, 1e-10);
  EXPECT_NEAR(student_t(0.975, 39), 2.022690920036761, 1e-10);
  EXPECT_NEAR(student_t(0.975, 1000), 1.9623390808264083, 1e-10);
  EXPECT_NEAR(student_t(0.9, 5), 1.4758840488244815, 1e-10);
  EXPECT_NEAR(student_t(0.999, 4), 7.173182219782307, 1e-9);
  EXPECT_NEAR(student_t(0.025, 3), -3.1824463052837086, 1e-10);
  EXPECT_NEAR(student_t(0.5, 7), 0, 1e-12);
}

TEST(Statistics, HalfWidthIsTheTIntervals) {
  // scipy.stats.t.interval(0.95, 10, loc=np.mean(v), scale=scipy.stats.sem(v)), half of its length
  EXPECT_NEAR(*half_width(kReadings), 0.4517627512262523, 1e-10);
  const std::vector<double> one{3};
  EXPECT_FALSE(half_width(one));
}

TEST(Statistics, QuantumIsTheSmallestStep) {
  EXPECT_NEAR(*quantum({5.056, 4.992, 5.12, 5.088, 5.056, 5.0560001}), 0.032, 1e-6);
  EXPECT_FALSE(quantum({1.5, 1.5}));
  EXPECT_FALSE(quantum({}));
}

}  // namespace
}  // namespace kbx::timing
