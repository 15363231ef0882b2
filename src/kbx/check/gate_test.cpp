// SPDX-License-Identifier: Apache-2.0
// The catalogue's own tests, tested: a sound task has no faults, and each way of spoiling it shows.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "kbx/check/catalog_faults.h"
#include "kbx/check/gate.h"
#include "kbx/task/families.h"

namespace kbx {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

Task sound() {
  return {
      .signature = "cube(x, out=None)",
      .description = "The third power.",
      .snippet = "def cube(x, out=None):\n    ...\n",
      .reference = [](const Args& in) { return deliver(in, "out", in.tensor("x").pow(3)); },
      .cases = elementwise_cases("x", at::kFloat) + out_cases("x", "out", at::kFloat),
      .sizes = power_sizes("x", at::kFloat, 12, 27),
      .cost = streaming_cost({"x"}, 2),
      .contract = {Relative{.ulps = 3, .floor = kSmallestNormal}, "two products"},
      .mutates = {"out"},
      .name = "cube",
      .category = "Math",
  };
}

TEST(Faults, ASoundTaskHasNone) {
  EXPECT_THAT(faults(sound()), IsEmpty());
}

// Spoils a sound task and expects a fault of that text.
template <typename F>
void expect_fault(const char* text, const F& spoil) {
  Task task = sound();
  spoil(task);
  EXPECT_THAT(faults(task), Contains(HasSubstr(text)));
}

TEST(Faults, OfForm) {
  expect_fault("no description", [](Task& t) { t.description.clear(); });
  expect_fault("no reason", [](Task& t) { t.contract.because.clear(); });
  expect_fault("does not define 'cube'", [](Task& t) { t.snippet = "def square(x): ..."; });
  expect_fault("')' is missing", [](Task& t) { t.signature = "cube(x, out=None"; });
  expect_fault("mutates 'y'", [](Task& t) { t.mutates = {"y"}; });
  expect_fault("two cases have the label 'empty'", [](Task& t) { t.cases.push_back({"empty", t.cases[0].args}); });
  expect_fault("gives 'y', which is no parameter", [](Task& t) { t.cases[0].args.emplace_back("y", 1); });
  expect_fault("does not give 'x'", [](Task& t) { t.sizes[0].args.clear(); });
  expect_fault("moves no more bytes", [](Task& t) { std::swap(t.sizes[3], t.sizes[4]); });
  expect_fault("but its results take",
               [](Task& t) { t.cost = [](const Args& in) { return Cost{.bytes_read = bytes_of(in.tensor("x"))}; }; });
  expect_fault("more operations of the matrix unit", [](Task& t) {
    t.cost = [](const Args& in) {
      const double bytes = bytes_of(in.tensor("x"));
      return Cost{.bytes_read = bytes, .bytes_written = bytes, .flops = 1, .matrix_flops = 2};
    };
  });
}

TEST(Faults, OfJudgement) {
  expect_fault("refuses the reference's own answer", [](Task& t) { t.contract.rule = Relative{.ulps = 0.01}; });
  expect_fault("refuses eager", [](Task& t) {
    t.eager = [](const Args& in) { return deliver(in, "out", in.tensor("x").pow(3) * 1.001); };
  });
  expect_fault("accepts result with an element that is off",
               [](Task& t) { t.contract.rule = Relative{.ulps = 3, .floor = 1e6}; });
  expect_fault("'TF32': accepted wherever",
               [](Task& t) { t.contract.rule = Relative{.ulps = 20'000, .floor = 1}; });
  expect_fault("'zeros': accepted wherever", [](Task& t) {
    t.cases = elementwise_cases("x", at::kFloat, {.specials = false});  // zeros are never right for infinities and NaN
    t.contract.rule = Relative{.ulps = 1e9, .floor = 1};
  });
  expect_fault("case 'ragged'", [](Task& t) {
    t.reference = [](const Args& in) -> Results {
      const at::Tensor x = in.tensor("x");
      return {x.numel() == 4099 ? x.view({4, 4}) : x.pow(3)};
    };
  });
}

TEST(Faults, ATaskThatIsACopyIsNoTask) {
  Task task = sound();
  task.contract.rule = Invariants{[](const Question&) -> std::vector<Bounded> { return {{"nothing", 0, 1}}; }};
  const auto found = faults(task);
  // All but NaN, which no rule takes for a finite answer.
  for (const char* null : {"zeros", "ones", "mean", "untouched", "noise", "half", "last row", "tile", "argument",
                           "TF32", "bfloat16", "float16", "other draw"})
    EXPECT_THAT(found, Contains(HasSubstr("null submission '" + std::string(null) + "': accepted"))) << null;
}

TEST(Gate, SaysWhereANullWasRefused) {
  const GateResult result = gate(sound());
  EXPECT_THAT(result.faults, IsEmpty());
  for (const NullOutcome& outcome : result.nulls) {
    EXPECT_EQ(outcome.kind, NullOutcome::Kind::kRefused) << outcome.name;
    EXPECT_FALSE(outcome.detail.empty()) << outcome.name;
  }
}

TEST(Gate, ANullMayBeRightForAReason) {
  Task task = sound();
  task.contract.rule = Relative{.ulps = 3, .floor = 1e9};
  task.right_nulls = {{"zeros", "everything is small"}, {"sevens", "?"}};
  const GateResult result = gate(task);
  EXPECT_EQ(result.nulls[0].kind, NullOutcome::Kind::kRight);
  EXPECT_EQ(result.nulls[0].detail, "everything is small");
  EXPECT_THAT(result.faults, Contains(HasSubstr("'sevens'")));
}

TEST(Gate, ANullThatNoCaseHasIsAbsent) {
  Task task = sound();
  task.cases = {{"one", {{"x", values({2}, at::kFloat)}}}};
  for (const NullOutcome& outcome : gate(task).nulls) {
    if (outcome.name != "tile" && outcome.name != "last row") continue;
    EXPECT_EQ(outcome.kind, NullOutcome::Kind::kAbsent) << outcome.name;
  }
}

}  // namespace
}  // namespace kbx
