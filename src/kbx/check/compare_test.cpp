// SPDX-License-Identifier: Apache-2.0
// The rules for one output: Exact, Close, Relative.
#include "kbx/check/compare.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "kbx/check/elements.h"
#include "kbx/task/rounding.h"

namespace kbx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

at::Tensor doubles(std::vector<double> v) {
  return at::tensor(v, at::kDouble);
}

// The output that a kernel of this dtype gives where the reference says `expected`.
Output output(const at::Tensor& got, const at::Tensor& expected) {
  return {.path = "result", .got = got, .expected = expected, .eager = {}, .dtype = got.scalar_type()};
}

Verdict relative(const at::Tensor& got, const at::Tensor& expected, double ulps, double floor = 0) {
  return compare_relative(output(got, expected), {.ulps = ulps, .floor = floor}).verdict;
}

TEST(Elements, CloseInfinitiesAndNanHaveToAgree) {
  const at::Tensor right = doubles({1, kInf, -kInf, kNan});
  EXPECT_EQ(relative(right.to(at::kFloat), right, 1), Verdict::kPassed);
  for (const auto& wrong : std::vector<std::vector<double>>{{kNan, kInf, -kInf, kNan},
                                                            {kInf, kInf, -kInf, kNan},
                                                            {1, -kInf, -kInf, kNan},
                                                            {1, kNan, -kInf, kNan},
                                                            {1, 3e38, -kInf, kNan},
                                                            {1, kInf, -kInf, 0},
                                                            {1, kInf, -kInf, kInf}})
    EXPECT_EQ(relative(doubles(wrong).to(at::kFloat), right, 1e9), Verdict::kNonfinite) << doubles(wrong);
}

TEST(Elements, NonfiniteComesBeforeWrong) {
  EXPECT_EQ(relative(doubles({5, kNan}).to(at::kFloat), doubles({1, 1}), 1), Verdict::kNonfinite);
}

TEST(Elements, ABoundThatIsNotFinitePassesNothing) {
  Output o = output(at::ones({1}), at::ones({1}, at::kDouble));
  for (const double magnitude : {kNan, kInf}) {
    o.magnitude = doubles({magnitude});
    EXPECT_EQ(compare_relative(o, {.ulps = 1, .scale = 1}).verdict, Verdict::kWrongValue);
  }
}

TEST(Elements, TheWorstIsNamed) {
  at::Tensor got = at::arange(24, at::kFloat).view({2, 3, 4});
  const at::Tensor right = got.to(at::kDouble);
  got[1][0][2] += 0.5;
  got[1][2][3] += 0.125;
  const Judgement j = compare_relative(output(got, right), {.ulps = 1});
  EXPECT_EQ(j.verdict, Verdict::kWrongValue);
  ASSERT_TRUE(j.worst);
  EXPECT_THAT(j.worst->index, ElementsAre(1, 0, 2));
  EXPECT_EQ(j.worst->got, "14.5");
  EXPECT_EQ(j.worst->expected, "14");
  EXPECT_EQ(j.worst->error, 0.5);
  EXPECT_DOUBLE_EQ(j.worst->bound, 14 * 0x1p-23);
  EXPECT_THAT(j.reason, HasSubstr("2 of 24 elements are wrong; the worst at [1, 0, 2] is 14.5, right is 14"));
}

TEST(Elements, EveryElementOfALargeTensorIsLookedAt) {
  const at::Tensor right = at::ones({300'000}, at::kDouble);
  for (const int64_t at : {int64_t{0}, int64_t{65'535}, int64_t{65'536}, int64_t{299'999}}) {
    at::Tensor got = at::ones({300'000});
    got[at] = 1.5;
    const Judgement j = compare_relative(output(got, right), {.ulps = 1});
    EXPECT_EQ(j.verdict, Verdict::kWrongValue);
    EXPECT_THAT(j.worst->index, ElementsAre(at));
  }
}

TEST(Elements, OfThoseNotFiniteTheFirstIsNamed) {
  at::Tensor got = at::ones({300'000});
  for (const int64_t at : {int64_t{70'000}, int64_t{250'000}}) got[at] = kNan;
  const Judgement j = compare_relative(output(got, at::ones({300'000}, at::kDouble)), {.ulps = 1});
  EXPECT_THAT(j.worst->index, ElementsAre(70'000));
  EXPECT_THAT(j.reason, HasSubstr("2 of 300000 elements"));
}

TEST(Elements, StridesDoNotMatter) {
  const at::Tensor right = at::randn({20, 30}, at::kDouble);
  EXPECT_EQ(relative(right.t().contiguous().to(at::kFloat).t(), right, 1), Verdict::kPassed);
  EXPECT_EQ(relative(right.to(at::kFloat), right.t().contiguous().t(), 1), Verdict::kPassed);
  EXPECT_EQ(relative(at::ones({1}).expand({4}), at::ones({4}, at::kDouble), 1), Verdict::kPassed);
}

TEST(Elements, NothingIsRight) {
  EXPECT_EQ(relative(at::zeros({0, 3}), at::zeros({0, 3}, at::kDouble), 0), Verdict::kPassed);
  EXPECT_EQ(relative(at::scalar_tensor(2.0), at::scalar_tensor(2.0, at::kDouble), 0), Verdict::kPassed);
}

TEST(Elements, NumbersArePrintedInTheDigitsOfTheirDtype) {
  const auto printed = [](at::ScalarType dtype) {
    const at::Tensor third = doubles({1.0 / 3});
    return compare_exact(output((third * 2).to(dtype), third), {}).worst->expected;
  };
  EXPECT_EQ(printed(at::kFloat), "0.333333343");
  EXPECT_EQ(printed(at::kHalf), "0.33325");
  EXPECT_EQ(printed(at::kBFloat16), "0.334");
  EXPECT_EQ(printed(at::kDouble), "0.33333333333333331");
}

TEST(Exact, IsExact) {
  const at::Tensor right = doubles({0.1, -2, 3});
  EXPECT_EQ(compare_exact(output(right.to(at::kFloat), right), {}).verdict, Verdict::kPassed);
  EXPECT_EQ(compare_exact(output(doubles({0.1, -2, 3.0000003}).to(at::kFloat), right), {}).verdict,
            Verdict::kWrongValue);
  const at::Tensor large = at::tensor({int64_t{1} << 60}, at::kLong);
  EXPECT_EQ(compare_exact(output(large + 1, large), {}).verdict, Verdict::kWrongValue);
  EXPECT_EQ(compare_exact(output(large, large), {}).verdict, Verdict::kPassed);
  const at::Tensor flags = at::tensor({1, 0}, at::kLong).to(at::kBool);
  const Judgement j = compare_exact(output(flags.logical_not(), flags), {});
  EXPECT_EQ(j.verdict, Verdict::kWrongValue);
  EXPECT_EQ(j.worst->got, "False");
}

TEST(Exact, ZerosHaveSignsWhereAskedFor) {
  const Output o = output(at::zeros({1}), doubles({-0.0}));
  EXPECT_EQ(compare_exact(o, {}).verdict, Verdict::kPassed);
  EXPECT_EQ(compare_exact(o, {.signed_zero = true}).verdict, Verdict::kWrongValue);
}

TEST(Close, HasThePublishedTolerances) {
  const auto close = [](at::ScalarType dtype, double got, double eager) {
    Output o = output(doubles({got}).to(dtype), doubles({0}));
    o.eager = doubles({eager}).to(dtype);
    return compare_close(o).verdict;
  };
  EXPECT_EQ(close(at::kFloat, 1 + 1.9e-5, 1), Verdict::kPassed);
  EXPECT_EQ(close(at::kFloat, 1 + 2.1e-5, 1), Verdict::kWrongValue);
  EXPECT_EQ(close(at::kDouble, 1 + 2.1e-5, 1), Verdict::kWrongValue);
  EXPECT_EQ(close(at::kHalf, 1.0088, 1), Verdict::kPassed);
  EXPECT_EQ(close(at::kBFloat16, 1.0157, 1), Verdict::kWrongValue);
  EXPECT_EQ(close(at::kFloat, 0, 0.9e-5), Verdict::kPassed);
  EXPECT_EQ(close(at::kInt, 2, 1), Verdict::kWrongValue);
  Output z = output(at::ones({1}, at::kComplexFloat) * 1.000001, at::ones({1}, at::kComplexDouble));
  z.eager = at::ones({1}, at::kComplexFloat);
  EXPECT_EQ(compare_close(z).verdict, Verdict::kWrongValue);
}

TEST(Relative, CountsSpacingsOfTheDtype) {
  for (const auto& [dtype, eps] : {std::pair{at::kFloat, 0x1p-23}, {at::kHalf, 0x1p-10}, {at::kBFloat16, 0x1p-7}}) {
    const at::Tensor right = doubles({1});
    EXPECT_EQ(relative(doubles({1 + 2 * eps}).to(dtype), right, 2), Verdict::kPassed) << dtype;
    EXPECT_EQ(relative(doubles({1 + 3 * eps}).to(dtype), right, 2), Verdict::kWrongValue) << dtype;
    EXPECT_EQ(relative(doubles({1 + eps}).to(dtype), right, 0.5), Verdict::kWrongValue) << dtype;
  }
}

TEST(Relative, CountsDoubleWhereTheReferenceIsNoFiner) {
  EXPECT_EQ(relative(doubles({1 + 2 * 0x1p-52}), doubles({1}), 1), Verdict::kPassed);
  EXPECT_EQ(relative(doubles({1 + 3 * 0x1p-52}), doubles({1}), 1), Verdict::kWrongValue);
  EXPECT_EQ(relative(doubles({1 + 2 * 0x1p-23}).to(at::kFloat), at::ones({1}), 1), Verdict::kPassed);
  EXPECT_EQ(relative(doubles({1 + 3 * 0x1p-23}).to(at::kFloat), at::ones({1}), 1), Verdict::kWrongValue);
}

TEST(Relative, RoundingADenormalIsNoError) {
  const double tiny = 0x1p-24 * 0.75 + 0x1p-20;  // of float16, which then has steps of 2^-24
  EXPECT_EQ(relative(doubles({tiny}).to(at::kHalf), doubles({tiny}), 0.5), Verdict::kPassed);
  EXPECT_EQ(relative(doubles({tiny + 0x1p-23}).to(at::kHalf), doubles({tiny}), 0.5), Verdict::kWrongValue);
}

TEST(Relative, TheFloorIsAbsolute) {
  EXPECT_EQ(relative(doubles({1e-7}).to(at::kFloat), doubles({0}), 4), Verdict::kWrongValue);
  EXPECT_EQ(relative(doubles({1e-7}).to(at::kFloat), doubles({0}), 4, 2e-7), Verdict::kPassed);
}

TEST(Relative, InfinityIsRightWhereTheDtypeEnds) {
  const auto verdict = [](at::ScalarType dtype, double got, double expected) {
    return relative(doubles({got}).to(dtype), doubles({expected}), 1);
  };
  EXPECT_EQ(verdict(at::kFloat, kInf, 1e39), Verdict::kPassed);
  EXPECT_EQ(verdict(at::kFloat, -kInf, -1e39), Verdict::kPassed);
  EXPECT_EQ(verdict(at::kFloat, -kInf, 1e39), Verdict::kNonfinite);
  EXPECT_EQ(verdict(at::kFloat, kInf, 3.4028234e38), Verdict::kPassed);  // within a spacing of the largest
  EXPECT_EQ(verdict(at::kFloat, 3.4028234e38, 3.4028235e38), Verdict::kPassed);
  EXPECT_EQ(verdict(at::kFloat, 3.4028234e38, 1e39), Verdict::kWrongValue);
  EXPECT_EQ(verdict(at::kFloat, kInf, 3.3e38), Verdict::kNonfinite);
  EXPECT_EQ(verdict(at::kHalf, kInf, 65519), Verdict::kPassed);
  EXPECT_EQ(verdict(at::kHalf, kInf, 60000), Verdict::kNonfinite);
  EXPECT_EQ(verdict(at::kBFloat16, kInf, 1e39), Verdict::kPassed);
}

TEST(Relative, ComplexNumbersAreMeasuredByTheModulus) {
  const auto z = [](double re, double im) { return at::complex(doubles({re}), doubles({im})); };
  const auto verdict = [&](at::Tensor got, const at::Tensor& right) {
    return relative(got.to(at::kComplexFloat), right, 1);
  };
  EXPECT_EQ(verdict(z(1, 0x1p-23), z(1, 0)), Verdict::kPassed);  // of the imaginary part alone all is wrong
  EXPECT_EQ(verdict(z(1, 0x1p-22), z(1, 0)), Verdict::kWrongValue);
  EXPECT_EQ(verdict(z(kNan, 0), z(1, 0)), Verdict::kNonfinite);
  EXPECT_EQ(verdict(z(kInf, kNan), z(-kInf, 1)), Verdict::kPassed);
  EXPECT_EQ(verdict(z(kNan, 1), z(1, kNan)), Verdict::kPassed);
  EXPECT_EQ(verdict(z(kNan, kNan), z(kInf, 1)), Verdict::kNonfinite);
  EXPECT_EQ(verdict(z(1, 1), z(kInf, 1)), Verdict::kNonfinite);
  EXPECT_EQ(verdict(z(kInf, 0), z(1e39, 0)), Verdict::kPassed);
}

TEST(Relative, IntegersHaveToBeEqual) {
  const at::Tensor right = at::tensor({7}, at::kLong);
  EXPECT_EQ(relative(right, right, 1), Verdict::kPassed);
  EXPECT_EQ(relative(right + 1, right, 1e9, 1e9), Verdict::kWrongValue);
}

TEST(SameValues, KnowNanAndZero) {
  EXPECT_TRUE(same_values(doubles({kNan, 0.0, kInf}), doubles({kNan, -0.0, kInf})));
  EXPECT_FALSE(same_values(doubles({kNan}), doubles({1})));
  EXPECT_FALSE(same_values(at::zeros({2}), at::zeros({2, 1})));
  EXPECT_TRUE(same_values(at::ones({2}, at::kHalf), at::ones({2}, at::kDouble)));
}

// The reason for the magnitude: honest float32 passes in any order of summation, lower precision never does.
class Product : public testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override {
    at::manual_seed(1);
    a_ = at::randn({8, GetParam()}), b_ = at::randn({GetParam(), 8});
    right_ = at::matmul(a_.to(at::kDouble), b_.to(at::kDouble));
  }
  Verdict verdict(const at::Tensor& got) const {
    Output o = output(got, right_);
    o.magnitude = product_slack(a_, b_);
    return compare_relative(o, {.ulps = 0.5, .scale = 1}).verdict;
  }
  // The sum in float32, term by term in this order.
  at::Tensor chain(const at::Tensor& order) const {
    at::Tensor sum = at::zeros({8, 8});
    for (int64_t k = 0; k < order.numel(); ++k) {
      const int64_t i = order[k].item<int64_t>();
      sum += a_.select(1, i).unsqueeze(1) * b_.select(0, i).unsqueeze(0);
    }
    return sum;
  }
  at::Tensor a_, b_, right_;
};

at::Tensor tf32(const at::Tensor& x) {
  return (x.view(at::kInt) + 0x1000).bitwise_and(~0x1FFF).view(at::kFloat);
}

TEST_P(Product, AnyOrderOfFloat32Passes) {
  const int64_t n = GetParam();
  EXPECT_EQ(verdict(at::matmul(a_, b_)), Verdict::kPassed);
  EXPECT_EQ(verdict(chain(at::arange(n))), Verdict::kPassed);
  EXPECT_EQ(verdict(chain(at::arange(n).flip(0))), Verdict::kPassed);
  EXPECT_EQ(verdict(chain(at::randperm(n))), Verdict::kPassed);
}

TEST_P(Product, LowerPrecisionIsRefused) {
  const auto rounded = [&](const auto& f) { return at::matmul(f(a_), f(b_)); };
  EXPECT_EQ(verdict(rounded(tf32)), Verdict::kWrongValue);
  EXPECT_EQ(verdict(rounded([](const at::Tensor& x) { return x.to(at::kHalf).to(at::kFloat); })), Verdict::kWrongValue);
  EXPECT_EQ(verdict(rounded([](const at::Tensor& x) { return x.to(at::kBFloat16).to(at::kFloat); })),
            Verdict::kWrongValue);
  EXPECT_EQ(verdict(at::matmul(a_, b_).to(at::kHalf).to(at::kFloat)), Verdict::kWrongValue);
}

TEST_P(Product, WrongAnswersAreRefused) {
  const at::Tensor right = at::matmul(a_, b_);
  EXPECT_EQ(verdict(at::zeros_like(right)), Verdict::kWrongValue);
  EXPECT_EQ(verdict(at::full_like(right, right.mean().item())), Verdict::kWrongValue);
  EXPECT_EQ(verdict(at::full_like(right, kNan)), Verdict::kNonfinite);
  at::Tensor half = right.clone();
  half.slice(0, 4).zero_();
  EXPECT_EQ(verdict(half), Verdict::kWrongValue);
  at::Tensor one = right.clone();
  one[3][5] *= 1.001;
  EXPECT_EQ(verdict(one), Verdict::kWrongValue);
}

INSTANTIATE_TEST_SUITE_P(Lengths, Product, testing::Values(16, 128, 1000, 4096));

}  // namespace
}  // namespace kbx
