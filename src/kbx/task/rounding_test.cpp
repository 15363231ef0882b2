// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/rounding.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "kbx/base/error.h"
#include "kbx/task/recipe.h"

namespace kbx {
namespace {

at::Tensor draw(const Recipe& recipe, const char* path) {
  Draw numbers("rounding", path);
  return *recipe.make(numbers).as<at::Tensor>();
}

at::Tensor tf32(const at::Tensor& x) {
  return (x.view(at::kInt) + 0x1000).bitwise_and(~0x1FFF).view(at::kFloat);
}

// The largest and the median error of a product, in units of its slack.
struct Strain {
  double largest, median;
};
Strain strain(const at::Tensor& got, const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor exact = at::matmul(a.to(at::kDouble), b.to(at::kDouble));
  const at::Tensor share = (got - exact).abs() / (product_slack(a, b) * spacing(a.scalar_type()));
  return {share.max().item<double>(), share.median().item<double>()};
}

// One term after the other, in float32: the worst honest order.
at::Tensor chain(const at::Tensor& a, const at::Tensor& b) {
  at::Tensor sum = at::zeros({a.size(0), b.size(1)}, a.options());
  for (int64_t k = 0; k < a.size(1); ++k) sum = sum + a.narrow(1, k, 1) * b.narrow(0, k, 1);
  return sum;
}

TEST(Rounding, KnowsTheTypes) {
  EXPECT_EQ(spacing(at::kFloat), 0x1p-23);
  EXPECT_EQ(spacing(at::kComplexFloat), 0x1p-23);
  EXPECT_EQ(largest(at::kHalf), 65504);
  EXPECT_EQ(smallest_normal(at::kBFloat16), 0x1p-126);
  EXPECT_EQ(accumulation_share(at::kFloat), 1);
  EXPECT_EQ(accumulation_share(at::kDouble), 1);
  EXPECT_EQ(accumulation_share(at::kHalf), 0x1p-13);
  EXPECT_THROW(spacing(at::kInt), Error);
}

TEST(Rounding, AcceptsAChainOfFloat32AndRefusesTf32) {
  for (const int64_t k : {2, 27, 128, 1024, 4096}) {
    const at::Tensor a = draw(randn({32, k}, at::kFloat), "a"), b = draw(randn({k, 32}, at::kFloat), "b");
    EXPECT_LT(strain(chain(a, b), a, b).largest, 0.5) << k;
    const Strain of_tf32 = strain(at::matmul(tf32(a).to(at::kDouble), tf32(b).to(at::kDouble)), a, b);
    EXPECT_GT(of_tf32.largest, 10) << k;
    EXPECT_GT(of_tf32.median, 2) << k;
  }
}

TEST(Rounding, AcceptsAChainOfPositiveTerms) {
  const at::Tensor a = draw(uniform({16, 4096}, at::kFloat), "a"), b = draw(uniform({4096, 16}, at::kFloat), "b");
  EXPECT_LT(strain(chain(a, b), a, b).largest, 0.5);
}

TEST(Rounding, OfHalfTypesCountsTheFloat32SumAlone) {
  const at::Tensor a = draw(randn({32, 256}, at::kHalf), "a"), b = draw(randn({256, 32}, at::kHalf), "b");
  EXPECT_LT(strain(chain(a.to(at::kFloat), b.to(at::kFloat)), a, b).largest, 0.5);
  // The rounding of the result itself is not in it.
  EXPECT_GT(strain(at::matmul(a.to(at::kFloat), b.to(at::kFloat)).to(at::kHalf), a, b).largest, 1);
}

}  // namespace
}  // namespace kbx
