// SPDX-License-Identifier: Apache-2.0
#include "kbx/check/structure.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "kbx/check/check.h"

namespace kbx {
namespace {

using testing::HasSubstr;

Value tuple(std::vector<Value> items) {
  return List{.items = std::move(items), .tuple = true};
}
Value list(std::vector<Value> items) {
  return List{.items = std::move(items), .tuple = false};
}

Verdict verdict_of(const Results& got, const Results& right) {
  const auto fault = structure_fault(got, right);
  return fault ? fault->verdict : Verdict::kPassed;
}

std::string reason_of(const Results& got, const Results& right) {
  const auto fault = structure_fault(got, right);
  return fault ? fault->reason : "";
}

const at::Tensor kTwo = at::zeros({2});

TEST(Structure, ListsAndTuplesAreTheSame) {
  EXPECT_EQ(verdict_of({kTwo, kTwo}, {kTwo, kTwo}), Verdict::kPassed);
  EXPECT_EQ(verdict_of({list({kTwo, kTwo})}, {tuple({kTwo, kTwo})}), Verdict::kPassed);
  EXPECT_EQ(verdict_of({kTwo, kTwo}, {tuple({kTwo, kTwo})}), Verdict::kPassed);
  EXPECT_EQ(verdict_of({kTwo, list({1})}, {kTwo, tuple({2})}), Verdict::kPassed);
}

TEST(Structure, ATupleOfOneIsItsItem) {
  EXPECT_EQ(verdict_of({tuple({kTwo})}, {kTwo}), Verdict::kPassed);
  EXPECT_EQ(verdict_of({kTwo}, {tuple({kTwo})}), Verdict::kPassed);
}

TEST(Structure, CountsResults) {
  EXPECT_EQ(reason_of({kTwo}, {kTwo, kTwo}), "the result is a tensor, right are 2 results");
  EXPECT_EQ(verdict_of({kTwo, kTwo}, {kTwo}), Verdict::kWrongStructure);
  EXPECT_EQ(verdict_of({}, {kTwo}), Verdict::kWrongStructure);
  EXPECT_EQ(verdict_of({kTwo, tuple({1, 2})}, {kTwo, tuple({1})}), Verdict::kWrongStructure);
}

TEST(Structure, NumbersAreNoTensors) {
  EXPECT_EQ(reason_of({1.0}, {at::zeros({})}), "result is a float, right is a tensor");
  EXPECT_EQ(verdict_of({at::zeros({}, at::kDouble)}, {1.0}), Verdict::kWrongStructure);
  EXPECT_EQ(verdict_of({1.0}, {2.0}), Verdict::kPassed);
  EXPECT_EQ(verdict_of({1}, {2.0}), Verdict::kWrongStructure);
  EXPECT_EQ(verdict_of({true}, {1}), Verdict::kWrongStructure);
  EXPECT_EQ(verdict_of({Value()}, {kTwo}), Verdict::kWrongStructure);
}

TEST(Structure, DictsHaveTheSameKeysInAnyOrder) {
  const Value right = Dict{.items = {{"a", 1}, {"b", kTwo}}};
  EXPECT_EQ(verdict_of({Dict{.items = {{"b", kTwo}, {"a", 2}}}}, {right}), Verdict::kPassed);
  EXPECT_THAT(reason_of({Dict{.items = {{"a", 1}}}}, {right}), HasSubstr("lacks the key 'b'"));
  EXPECT_THAT(reason_of({Dict{.items = {{"a", 1}, {"b", kTwo}, {"c", 1}}}}, {right}), HasSubstr("'c'"));
}

TEST(Structure, DtypesComeBeforeShapes) {
  EXPECT_EQ(reason_of({at::zeros({3}, at::kHalf)}, {kTwo}), "result is float16, right is float32");
  EXPECT_EQ(verdict_of({at::zeros({2}, at::kDouble)}, {kTwo}), Verdict::kWrongDtype);
  EXPECT_EQ(verdict_of({at::zeros({2}, at::kInt)}, {at::zeros({2}, at::kLong)}), Verdict::kWrongDtype);
  // Of all results: the second one's dtype before the first one's shape.
  EXPECT_EQ(verdict_of({at::zeros({3}), at::zeros({2}, at::kHalf)}, {kTwo, kTwo}), Verdict::kWrongDtype);
}

TEST(Structure, ShapesThatWouldBroadcastAreWrong) {
  EXPECT_EQ(reason_of({at::zeros({2, 1})}, {kTwo}), "result has the shape [2, 1], right is [2]");
  EXPECT_EQ(verdict_of({at::zeros({})}, {at::zeros({1})}), Verdict::kWrongShape);
  EXPECT_EQ(verdict_of({at::zeros({1})}, {at::zeros({})}), Verdict::kWrongShape);
  EXPECT_EQ(verdict_of({at::zeros({0, 3})}, {at::zeros({0, 4})}), Verdict::kWrongShape);
  EXPECT_EQ(verdict_of({at::zeros({0, 3})}, {at::zeros({0, 3})}), Verdict::kPassed);
}

TEST(Structure, MetaTensorsDo) {
  const at::Tensor meta = at::empty({2}, at::TensorOptions(at::kFloat).device(at::kMeta));
  EXPECT_EQ(verdict_of({meta}, {kTwo}), Verdict::kPassed);
  EXPECT_EQ(verdict_of({meta.to(at::kHalf)}, {kTwo}), Verdict::kWrongDtype);
}

TEST(Structure, LeavesHavePaths) {
  std::vector<std::string> paths;
  for (const Leaf& leaf : leaves({kTwo, Dict{.items = {{"b", 1}, {"a", list({1, 2})}}}})) paths.push_back(leaf.path);
  EXPECT_THAT(paths, testing::ElementsAre("result[0]", "result[1]['a'][0]", "result[1]['a'][1]", "result[1]['b']"));
  EXPECT_EQ(leaves({kTwo})[0].path, "result");
  EXPECT_EQ(leaves("params", list({kTwo}))[0].path, "params[0]");
}

}  // namespace
}  // namespace kbx
