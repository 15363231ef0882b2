// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/recipe.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>

#include <cmath>

#include "kbx/base/error.h"
#include "kbx/task/task.h"

namespace kbx {
namespace {

at::Tensor made(const Recipe& recipe, std::string_view seed = "seed", std::string_view path = "task/case/x") {
  Draw draw(seed, path);
  return *recipe.make(draw).as<at::Tensor>();
}

// The authors' known answers for Philox 4x32-10: counter and key of all zeros, of all ones, of digits of pi.
TEST(Stream, IsPhilox) {
  EXPECT_THAT(Stream(0, 0).block(0), testing::ElementsAre(0xe169c58d'6627e8d5ULL, 0x9b00dbd8'bc57ac4cULL));
  const uint64_t ones = ~uint64_t{0};
  EXPECT_THAT(Stream(ones, ones).block(ones), testing::ElementsAre(0x41c83b0e'408f276dULL, 0x6d5451fd'a20bc7c6ULL));
  EXPECT_THAT(Stream(0x299f31d0'a4093822, 0x03707344'13198a2e).block(0x85a308d3'243f6a88),
              testing::ElementsAre(0x94fdcceb'd16cfe09ULL, 0x24126ea1'5001e420ULL));
}

// A change of any of these changes every case of every run: it breaks the reproduction of stored runs.
TEST(Draw, GivesTheSameNumbersForever) {
  Draw draw("seed", "gelu/ragged/input");
  EXPECT_EQ(draw.bits(), 6498451745618211088ULL);
  EXPECT_EQ(draw.integer(0, 1000), 383);
  EXPECT_DOUBLE_EQ(draw.uniform(), 0.037500771005439693);
  EXPECT_NEAR(draw.normal(), -0.69207703292828593, 1e-12);
  const at::Tensor x = made(randn({4}, at::kFloat));
  EXPECT_FLOAT_EQ(x[0].item<float>(), 0.44464588F);
  EXPECT_FLOAT_EQ(x[3].item<float>(), 0.27854395F);
}

TEST(Draw, SeedAndPathDecide) {
  const Recipe recipe = randn({64}, at::kFloat);
  EXPECT_TRUE(made(recipe).equal(made(recipe)));
  EXPECT_FALSE(made(recipe).equal(made(recipe, "another seed")));
  EXPECT_FALSE(made(recipe).equal(made(recipe, "seed", "task/case/y")));
  // A separator inside the seed does not make it another seed's path.
  EXPECT_NE(Draw("a", "b/c").bits(), Draw("a/b", "c").bits());
}

TEST(Draw, TensorsOfOneArgumentDiffer) {
  Draw draw("seed", "path");
  const Value both = list_of({randn({64}, at::kFloat), randn({64}, at::kFloat)}).make(draw);
  const auto& items = both.as<List>()->items;
  EXPECT_FALSE(items[0].as<at::Tensor>()->equal(*items[1].as<at::Tensor>()));
}

TEST(Recipe, ThreadsDoNotMatter) {
  const Recipe recipe = randn({200'000}, at::kFloat);
  const int before = at::get_num_threads();
  const at::Tensor many = made(recipe);
  at::set_num_threads(1);
  const at::Tensor one = made(recipe);
  at::set_num_threads(before);
  EXPECT_TRUE(many.equal(one));
}

TEST(Recipe, NormalNumbersAreNormal) {
  const at::Tensor x = made(randn({1'000'000}, at::kDouble));
  EXPECT_NEAR(x.mean().item<double>(), 0, 0.006);  // six deviations
  EXPECT_NEAR(x.square().mean().item<double>(), 1, 0.009);
  EXPECT_NEAR(x.pow(4).mean().item<double>(), 3, 0.06);
  EXPECT_NEAR((x.abs() > 3).to(at::kDouble).mean().item<double>(), 0.0026998, 0.0004);
  EXPECT_NEAR((x.slice(0, 1) * x.slice(0, 0, -1)).mean().item<double>(), 0, 0.006);
}

TEST(Recipe, UniformNumbersFillTheirRange) {
  const at::Tensor x = made(uniform({1'000'000}, at::kDouble, -2, 6));
  EXPECT_GE(x.min().item<double>(), -2);
  EXPECT_LT(x.max().item<double>(), 6);
  const at::Tensor share = at::histc(x, 8, -2, 6) / 1e6;
  EXPECT_LT((share - 0.125).abs().max().item<double>(), 0.002);
}

TEST(Recipe, IntegersCoverTheirRange) {
  const at::Tensor x = made(randint({100'000}, -3, 4, at::kInt));
  EXPECT_EQ(x.scalar_type(), at::kInt);
  EXPECT_EQ(x.min().item<int64_t>(), -3);
  EXPECT_EQ(x.max().item<int64_t>(), 3);
  const at::Tensor wide = made(randint({1000}, INT64_MIN, INT64_MAX));
  EXPECT_LT(wide.min().item<int64_t>(), INT64_MIN / 2);
  EXPECT_GT(wide.max().item<int64_t>(), INT64_MAX / 2);
  EXPECT_NE(made(randint({64}, 0, int64_t{1} << 60)).bitwise_and(1).sum().item<int64_t>(), 0);  // no detour by double
}

TEST(Recipe, CoinsAndOutliersFallAsOften) {
  EXPECT_NEAR(made(coin({100'000}, 0.3)).to(at::kDouble).mean().item<double>(), 0.3, 0.01);
  const at::Tensor x = made(outliers({1'000'000}, at::kFloat, 0.01, 1000));
  EXPECT_NEAR((x.abs() > 10).to(at::kDouble).mean().item<double>(), 0.0099, 0.001);
}

TEST(Recipe, PermutationsHoldEachIndexOnce) {
  const at::Tensor p = made(permutation(1000));
  EXPECT_TRUE(std::get<0>(p.sort()).equal(at::arange(1000)));
  EXPECT_FALSE(p.equal(at::arange(1000)));
  const at::Tensor d = made(distinct(50, 60));
  EXPECT_EQ(std::get<0>(at::_unique(d)).numel(), 50);
  EXPECT_LT(d.max().item<int64_t>(), 60);
  EXPECT_THROW(distinct(3, 2), Error);
}

TEST(Recipe, SpecialValuesAreThoseOfTheDtype) {
  for (const auto dtype : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
    const at::Tensor x = made(specials(32, dtype)).to(at::kDouble);
    EXPECT_EQ(x.isnan().sum().item<int64_t>(), 1);
    EXPECT_EQ(x.isinf().sum().item<int64_t>(), 2);
    EXPECT_EQ(x.eq(0).sum().item<int64_t>(), 2);  // the denormals did not vanish
    EXPECT_TRUE(std::signbit(x[0].item<double>()));
    const at::Tensor beyond = (x.masked_fill(x.isinf(), 0).nan_to_num() * 2).to(dtype);
    EXPECT_EQ(beyond.isinf().sum().item<int64_t>(), 2);  // the largest values are the largest
  }
}

TEST(Recipe, MatricesAreWhatTheyAreCalled) {
  const at::Tensor s = made(symmetric(randn({5, 8, 8}, at::kFloat)));
  EXPECT_TRUE(s.equal(s.mT()));
  const at::Tensor p = made(positive_definite(randn({8, 8}, at::kDouble), 0.1));
  EXPECT_GT(at::linalg_eigvalsh(p).min().item<double>(), 0.099);
  const at::Tensor l = made(lower_triangular(randn({8, 8}, at::kFloat), 2));
  EXPECT_TRUE(l.equal(l.tril()));
  EXPECT_GE(l.diagonal().min().item<double>(), 2);
  EXPECT_LT((made(softmaxed(randn({7, 9}, at::kFloat), 1)).sum(1) - 1).abs().max().item<double>(), 1e-6);
  EXPECT_TRUE(made(eye(3, at::kHalf)).equal(at::eye(3, at::kHalf)));
}

TEST(Recipe, ViewsAreViews) {
  const at::Tensor t = made(transposed(randn({4, 6}, at::kFloat)));
  EXPECT_THAT(t.sizes(), testing::ElementsAre(6, 4));
  EXPECT_FALSE(t.is_contiguous());
  const at::Tensor s = made(strided(randn({9, 4}, at::kFloat), 0, 4));
  EXPECT_THAT(s.sizes(), testing::ElementsAre(3, 4));
  EXPECT_EQ(s.stride(0), 16);
}

TEST(Recipe, ComplexNumbersHaveTwoParts) {
  const at::Tensor z = made(randn({1000}, at::kComplexFloat));
  EXPECT_EQ(z.scalar_type(), at::kComplexFloat);
  EXPECT_NEAR(at::imag(z).square().mean().item<double>(), 1, 0.3);
  EXPECT_NE(at::real(z)[0].item<double>(), at::imag(z)[0].item<double>());
}

TEST(Recipe, TextsTellWhatIsDrawn) {
  EXPECT_EQ(randn({64, 128}, at::kFloat).text, "float32[64, 128] N(0,1)");
  EXPECT_EQ(randn({2}, at::kHalf, 2, -1).text, "float16[2] N(0,1)*2-1");
  EXPECT_EQ(values({1, 2.5}, at::kFloat).text, "float32[2] [1, 2.5]");
  EXPECT_EQ(transposed(uniform({2, 3}, at::kFloat)).text, "float32[2, 3] U[0,1), transposed");
  EXPECT_EQ(Recipe(0.5).text, "0.5");
  EXPECT_EQ(list_of({eye(2, at::kFloat), Recipe(1)}).text, "[float32[2, 2] identity; 1]");
}

TEST(Recipe, AnOutlineHasShapesAndNoValues) {
  const Signature signature("f(x, y, z)");
  const int64_t large = int64_t{1} << 50;
  const Args args = outline(signature, {{"x", transposed(randn({large, 3}, at::kHalf))},
                                        {"y", list_of({values({1, 2}, at::kInt), permutation(large)})},
                                        {"z", "text"}});
  EXPECT_TRUE(args.tensor("x").is_meta());
  EXPECT_THAT(args.tensor("x").sizes(), testing::ElementsAre(3, large));
  EXPECT_EQ(args.tensors("y")[1].numel(), large);
  EXPECT_EQ(args.text("z"), "text");
}

TEST(Realise, EachArgumentHasNumbersOfItsOwn) {
  const Signature signature("f(x, y)");
  const ArgRecipes recipes = {{"x", randn({8}, at::kFloat)}, {"y", randn({8}, at::kFloat)}};
  const Args args = realise(signature, recipes, "seed", "task/case");
  EXPECT_FALSE(args.tensor("x").equal(args.tensor("y")));
  EXPECT_TRUE(args.tensor("x").equal(made(recipes[0].second, "seed", "task/case/x")));
  EXPECT_THROW(realise(signature, {{"w", 1}}, "seed", "task/case"), Error);
}

}  // namespace
}  // namespace kbx
