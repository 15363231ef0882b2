// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/residual.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace kbx {
namespace {

bool passes(const Bounded& b) {
  return b.error <= b.bound;
}

const auto kOptions = at::TensorOptions().dtype(at::kDouble);

TEST(Residual, TheWorstMatrixOfABatchDecides) {
  const at::Tensor error = at::tensor({0.0, 0.0, 3.0, 4.0}, kOptions).view({2, 1, 2});
  const at::Tensor scale = at::tensor({1.0, 100.0}, kOptions);
  EXPECT_DOUBLE_EQ(small("r", error, scale, 1).error, 0.05);
  EXPECT_FALSE(passes(small("r", error, scale, 0.04)));
}

TEST(Residual, ZeroOverZeroIsZeroAndNanNeverPasses) {
  const at::Tensor nothing = at::zeros({1, 2, 2}, kOptions);
  EXPECT_TRUE(passes(small("r", nothing, at::zeros({1}, kOptions), 0)));
  EXPECT_FALSE(passes(small("r", nothing + 1, at::zeros({1}, kOptions), 1e9)));
  EXPECT_FALSE(passes(small("r", nothing + NAN, at::ones({1}, kOptions), 1e9)));
  EXPECT_FALSE(passes(zero("z", nothing + NAN)));
  EXPECT_TRUE(passes(zero("z", at::empty({0}, kOptions))));
}

TEST(Residual, OrthonormalTellsARotationFromAShear) {
  const double c = std::cos(0.3), s = std::sin(0.3);
  const at::Tensor rotation = at::tensor({c, -s, s, c}, kOptions).view({2, 2});
  const double bound = stable_bound(2, at::kFloat);
  EXPECT_TRUE(passes(orthonormal("q", rotation, bound)));
  EXPECT_TRUE(passes(orthonormal("q", rotation.narrow(1, 0, 1), bound)));
  EXPECT_FALSE(passes(orthonormal("q", rotation * (1 + 1e-4), bound)));
  EXPECT_FALSE(passes(orthonormal("q", at::tensor({1.0, 1.0, 0.0, 1.0}, kOptions).view({2, 2}), bound)));
}

TEST(Residual, FloatDecompositionsFitAndHalfOnesDoNot) {
  const at::Tensor a = at::arange(400, kOptions).view({20, 20}).mul(0.37).sin();
  const auto residual = [&](at::ScalarType dtype) {
    const auto [q, r] = at::linalg_qr(a.to(at::kFloat));
    const at::Tensor product = at::matmul(q.to(dtype).to(at::kDouble), r.to(dtype).to(at::kDouble));
    return small("|Q R - A| / |A|", product - a, frobenius(a), stable_bound(20, at::kFloat));
  };
  EXPECT_TRUE(passes(residual(at::kFloat)));
  EXPECT_FALSE(passes(residual(at::kHalf)));
}

}  // namespace
}  // namespace kbx
