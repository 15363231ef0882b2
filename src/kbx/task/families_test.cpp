// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/families.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <set>

#include "kbx/base/error.h"

namespace kbx {
namespace {

template <typename Sets>
size_t labels(const Sets& sets) {
  std::set<std::string> out;
  for (const auto& set : sets) out.insert(set.label);
  return out.size();
}

TEST(Families, CasesHaveDifferentLabelsAndStayInTheirDomain) {
  const Signature signature("f(x, out=None)");
  const Domain domain{.low = 0.5, .high = 2, .specials = false};
  const Cases cases = elementwise_cases("x", at::kFloat, domain) + out_cases("x", "out", at::kFloat, domain);
  EXPECT_EQ(labels(cases), cases.size());
  bool some_empty = false, some_view = false;
  for (const Case& c : cases) {
    const at::Tensor x = realise(signature, recipes_of(c, "seed", "f"), "seed", c.label).tensor("x");
    some_empty = some_empty || x.numel() == 0;
    some_view = some_view || !x.is_contiguous();
    if (x.numel() == 0) continue;
    EXPECT_GE(x.min().item<double>(), 0.5) << c.label;
    EXPECT_LE(x.max().item<double>(), 2) << c.label;
  }
  EXPECT_TRUE(some_empty);
  EXPECT_TRUE(some_view);
  EXPECT_EQ(elementwise_cases("x", at::kFloat).size(), elementwise_cases("x", at::kFloat, domain).size() + 1);
}

TEST(Families, BinaryCasesBroadcast) {
  const Signature signature("f(a, b)");
  const Cases cases = binary_cases("a", "b", at::kFloat);
  EXPECT_EQ(labels(cases), cases.size());
  int broadcast = 0;
  for (const Case& c : cases) {
    const Args args = realise(signature, recipes_of(c, "seed", "f"), "seed", c.label);
    EXPECT_NO_THROW(args.tensor("a") + args.tensor("b")) << c.label;
    broadcast += args.tensor("a").sizes() != args.tensor("b").sizes();
  }
  EXPECT_GE(broadcast, 4);
}

TEST(Families, PowerSizesDouble) {
  const Signature signature("f(x, y=None)");
  const Sizes sizes = power_sizes("x", at::kHalf, 12, 27);
  ASSERT_EQ(sizes.size(), 16U);
  EXPECT_EQ(sizes.back().label, "2^27");
  EXPECT_EQ(outline(signature, sizes.back().args).tensor("x").numel(), 1 << 27);
  EXPECT_EQ(outline(signature, binary_power_sizes("x", "y", at::kHalf)[0].args).tensor("y").numel(), 4096);
}

TEST(Families, StreamingCostCountsBroadcastsOnce) {
  const Signature signature("f(a, b, dtype=None)");
  Args args(&signature);
  args.set("a", at::zeros({10, 1}, at::kFloat));
  args.set("b", at::zeros({20}, at::kFloat));
  Cost cost = streaming_cost({"a", "b"}, 3)(args);
  EXPECT_EQ(cost.bytes_read, 4 * 30);
  EXPECT_EQ(cost.bytes_written, 4 * 200);
  EXPECT_EQ(cost.flops, 600);
  args.set("b", 2.0);
  args.set("dtype", at::kDouble);
  cost = streaming_cost({"a", "b"}, 1)(args);
  EXPECT_EQ(cost.bytes_read, 40);
  EXPECT_EQ(cost.bytes_written, 80);
}

TEST(Families, ReductionCostCountsSlices) {
  const Signature signature("f(x, dim=None, dtype=None)");
  Args args(&signature);
  args.set("x", at::zeros({4, 5, 6}, at::kFloat));
  EXPECT_EQ(reduction_cost("x", 2)(args).bytes_written, 4);
  EXPECT_EQ(reduction_cost("x", 2)(args).flops, 240);
  args.set("dim", ints({0, -1}));
  EXPECT_EQ(reduction_cost("x", 2)(args).bytes_written, 4 * 5);
  args.set("dtype", at::kDouble);
  args.set("dim", 1);
  EXPECT_EQ(reduction_cost("x", 2)(args).bytes_written, 8 * 24);
}

TEST(Families, DeliverFillsOut) {
  const Signature signature("f(x, out=None)");
  Args args(&signature);
  const at::Tensor result = at::ones({2, 3});
  EXPECT_TRUE(deliver(args, "out", result)[0].as<at::Tensor>()->is_same(result));
  const at::Tensor out = at::zeros({3, 2}).t();
  args.set("out", out);
  EXPECT_TRUE(deliver(args, "out", result)[0].as<at::Tensor>()->is_same(out));
  EXPECT_TRUE(out.equal(result));
  args.set("out", at::zeros({3}));
  EXPECT_THROW(deliver(args, "out", result), Error);
}

TEST(Families, SmallHelpers) {
  EXPECT_EQ(terms(at::zeros({4, 5, 6}), at::zeros({5})), 24);
  EXPECT_EQ(terms(at::zeros({0, 5}), at::zeros({5})), 0);
  EXPECT_EQ(terms(at::zeros({0, 5}), at::zeros({0})), 0);
  EXPECT_EQ(widened(at::kHalf), at::kDouble);
  EXPECT_EQ(widened(at::kComplexFloat), at::kComplexDouble);
  EXPECT_EQ(widened(at::kInt), at::kInt);
  const Signature signature("f(dtype=None)");
  EXPECT_EQ(c10::typeMetaToScalarType(made_options(Args(&signature)).dtype()), at::kFloat);
  EXPECT_TRUE(made_options(Args(&signature)).device().is_cpu());
  EXPECT_EQ(bytes_of(at::zeros({3}, at::kHalf)), 6);
}

}  // namespace
}  // namespace kbx
