// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/value.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <stdexcept>

#include "kbx/base/error.h"
#include "kbx/task/args.h"
#include "kbx/task/signature.h"

namespace kbx {
namespace {

TEST(Value, PrintsAsPythonDoes) {
  EXPECT_EQ(to_text(Value()), "None");
  EXPECT_EQ(to_text(Value(true)), "True");
  EXPECT_EQ(to_text(Value(-3)), "-3");
  EXPECT_EQ(to_text(Value(1.0)), "1.0");
  EXPECT_EQ(to_text(Value(1e-5)), "1e-05");
  EXPECT_EQ(to_text(Value(-INFINITY)), "-inf");
  EXPECT_EQ(to_text(Value("it's")), "'it\\'s'");
  EXPECT_EQ(to_text(Value(std::complex<double>(1, -2))), "(1-2j)");
  EXPECT_EQ(to_text(Value(at::kBFloat16)), "torch.bfloat16");
  EXPECT_EQ(to_text(Value(at::kStrided)), "torch.strided");
  EXPECT_EQ(to_text(Value(Place{})), "'cuda'");
  EXPECT_EQ(to_text(ints({1, 2})), "(1, 2)");
  EXPECT_EQ(to_text(ints({1})), "(1,)");
  EXPECT_EQ(to_text(Value(List{.items = {1, "a"}})), "[1, 'a']");
  EXPECT_EQ(to_text(Value(Dict{.items = {{"lr", 0.5}}})), "{'lr': 0.5}");
  EXPECT_EQ(to_text(at::zeros({2, 3}, at::kHalf)), "float16[2, 3]");
}

TEST(Value, KnowsTorchsNamesOfDtypes) {
  for (const auto dtype : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kLong, at::kInt, at::kShort,
                           at::kChar, at::kByte, at::kBool, at::kComplexFloat, at::kComplexDouble})
    EXPECT_EQ(dtype_named(dtype_name(dtype)), dtype);
  EXPECT_EQ(dtype_name(at::kLong), "int64");
  EXPECT_THROW(dtype_named("float"), std::invalid_argument);
}

TEST(Value, TreesOfTensorsAreWalkedAndCopied) {
  const Value tree = List{.items = {at::ones({1}), Dict{.items = {{"m", at::ones({2})}}}, 3}, .tuple = true};
  const Value twice = map_tensors(tree, [](const at::Tensor& t) { return t * 2; });
  std::vector<std::string> paths;
  double sum = 0;
  for_each_tensor("result", twice, [&](const std::string& path, const at::Tensor& t) {
    paths.push_back(path);
    sum += t.sum().item<double>();
  });
  EXPECT_THAT(paths, testing::ElementsAre("result[0]", "result[1]['m']"));
  EXPECT_EQ(sum, 6);
  EXPECT_TRUE(twice.as<List>()->tuple);
}

class ArgsTest : public testing::Test {
 protected:
  Signature signature_{"f(x, dim=None, kernel=3, p=0.5, mode='a', flag=False, dtype=None, pair=(2, 4), tensors=None)"};
  Args args_{&signature_};
};

TEST_F(ArgsTest, DefaultsStandInForWhatIsNotGiven) {
  EXPECT_FALSE(args_.given("p"));
  EXPECT_EQ(args_.number("p"), 0.5);
  args_.set("p", 2);
  args_.set("p", 3);
  EXPECT_EQ(args_.number("p"), 3.0);
  EXPECT_EQ(args_.items().size(), 1U);
  EXPECT_EQ(args_.text("mode"), "a");
  EXPECT_FALSE(args_.flag("flag"));
  EXPECT_FALSE(args_.has("dim"));
  EXPECT_FALSE(args_.optional_integer("dim"));
  EXPECT_FALSE(args_.optional_dtype("dtype"));
  EXPECT_EQ(args_.optional_number("kernel"), 3.0);
}

TEST_F(ArgsTest, IntegersComeFromNumbersAndLists) {
  EXPECT_THAT(args_.integers("kernel", 2), testing::ElementsAre(3, 3));
  EXPECT_THAT(args_.integers("pair", 2), testing::ElementsAre(2, 4));
  EXPECT_TRUE(args_.integers("dim").empty());
  args_.set("pair", ints({5}));
  EXPECT_THAT(args_.integers("pair", 2), testing::ElementsAre(5, 5));
}

TEST_F(ArgsTest, WhatIsMissingOrOfAnotherKindIsAFaultOfTheTask) {
  EXPECT_THROW(args_.tensor("x"), Error);
  EXPECT_THROW(args_.at("unknown"), Error);
  EXPECT_THROW(args_.number("mode"), Error);
  EXPECT_THROW(args_.integer("p"), Error);
  EXPECT_THROW(args_.flag("kernel"), Error);
  EXPECT_THROW(args_.tensors("pair"), Error);
  EXPECT_THROW(Args().at("x"), Error);
}

TEST_F(ArgsTest, TensorsAreReplacedInEveryArgument) {
  args_.set("x", at::ones({2}));
  args_.set("tensors", List{.items = {at::ones({1}), at::ones({3})}});
  const Args twice = args_.map_tensors([](const at::Tensor& t) { return t * 2; });
  EXPECT_EQ(twice.tensor("x").sum().item<double>(), 4);
  EXPECT_EQ(twice.tensors("tensors")[1].sum().item<double>(), 6);
  EXPECT_EQ(args_.tensor("x").sum().item<double>(), 2);
  EXPECT_EQ(twice.number("p"), 0.5);
}

}  // namespace
}  // namespace kbx
