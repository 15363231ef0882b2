// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/dropout.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cmath>

#include "kbx/task/recipe.h"

namespace kbx {
namespace {

constexpr double kP = 0.3;

at::Tensor draw(const Recipe& recipe, const std::string& path) {
  Draw numbers("dropout", path);
  return *recipe.make(numbers).as<at::Tensor>();
}

struct Layer {
  at::Tensor kept = draw(randn({64, 50}, at::kDouble), "x") / (1 - kP);
  at::Tensor slack = kept.abs() * 1e-7;

  // The first quantity that is beyond its bound.
  std::string fault(const at::Tensor& got, double p = kP) const {
    for (const Bounded& b : dropout_bounds(got, kept, slack, p))
      if (!(b.error <= b.bound)) return b.quantity;
    return "";
  }
  at::Tensor masked(const Shape& shape, const std::string& path = "mask") const {
    return kept * draw(coin(shape, 1 - kP), path).expand_as(kept);
  }
};

TEST(Dropout, DrawsOnlyBetweenItsEnds) {
  EXPECT_TRUE(dropout_draws(true, 0.5));
  EXPECT_FALSE(dropout_draws(false, 0.5));
  EXPECT_FALSE(dropout_draws(true, 0));
  EXPECT_FALSE(dropout_draws(true, 1));
}

TEST(Dropout, AcceptsFairMasks) {
  const Layer layer;
  for (int i = 0; i < 50; ++i) EXPECT_EQ(layer.fault(layer.masked({64, 50}, std::to_string(i))), "");
}

TEST(Dropout, RefusesAnotherShare) {
  const Layer layer;
  const at::Tensor mask = draw(coin({64, 50}, kP), "mask");
  EXPECT_EQ(layer.fault(layer.kept * mask), "|share of dropped elements - p|");
  EXPECT_EQ(layer.fault(layer.kept), "|share of dropped elements - p|");
  EXPECT_EQ(layer.fault(layer.kept * 0), "|share of dropped elements - p|");
}

// As many elements kept as chance expects, so that the share says nothing.
at::Tensor exact_share(int64_t n) {
  return draw(permutation(n), "order").ge(std::llround(kP * static_cast<double>(n)));
}

TEST(Dropout, RefusesMasksThatRepeat) {
  const Layer layer;
  const auto correlation = testing::StartsWith("|correlation of the mask with itself");
  EXPECT_THAT(layer.fault(layer.kept * exact_share(50)), correlation) << "one mask for all rows";
  EXPECT_THAT(layer.fault(layer.kept * exact_share(64).unsqueeze(1)), correlation) << "rows dropped whole";
  EXPECT_THAT(layer.fault(layer.kept * exact_share(64).repeat({50}).view({64, 50})), correlation) << "blocks of 64";
}

TEST(Dropout, RefusesKeptElementsThatAreOff) {
  const Layer layer;
  const std::string distance = "distance to zero or the kept value, in units of its bound";
  EXPECT_EQ(layer.fault(layer.masked({64, 50}) * (1 - kP)), distance);
  EXPECT_EQ(layer.fault(layer.masked({64, 50}) + 1e-3), distance);
  EXPECT_EQ(layer.fault(layer.masked({64, 50}) * NAN), distance);
}

TEST(Dropout, IsExactWhereNothingIsDrawn) {
  const Layer layer;
  EXPECT_EQ(layer.fault(layer.kept, 0), "");
  EXPECT_NE(layer.fault(layer.masked({64, 50}), 0), "");
  EXPECT_EQ(layer.fault(layer.kept * 0, 1), "");
  EXPECT_NE(layer.fault(layer.masked({64, 50}), 1), "");
}

TEST(Dropout, SaysNothingOfElementsThatCannotBeTold) {
  Layer layer;
  layer.slack = layer.kept.abs() * 2;
  EXPECT_EQ(layer.fault(layer.kept * 0), "");
}

}  // namespace
}  // namespace kbx
