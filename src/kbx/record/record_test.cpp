// SPDX-License-Identifier: Apache-2.0
#include "kbx/record/record.h"

#include <gtest/gtest.h>

#include <set>

namespace kbx {
namespace {

constexpr int kVerdictCount = static_cast<int>(Verdict::kInfrastructure) + 1;

TEST(Names, EveryVerdictHasItsOwnAndIsFoundByIt) {
  std::set<std::string_view> names;
  for (int i = 0; i < kVerdictCount; ++i) {
    const auto verdict = static_cast<Verdict>(i);
    EXPECT_EQ(verdict_named(name_of(verdict)), verdict);
    names.insert(name_of(verdict));
  }
  EXPECT_EQ(names.size(), size_t{kVerdictCount});
  EXPECT_FALSE(verdict_named("Passed"));
  EXPECT_FALSE(verdict_named("?"));
}

TEST(Names, Stages) {
  for (Stage stage : {Stage::kCall, Stage::kExe, Stage::kPerf}) EXPECT_EQ(stage_named(name_of(stage)), stage);
  EXPECT_FALSE(stage_named("load"));
}

TEST(OutcomeOf, PassedLeavesLaterStagesUnmeasured) {
  EXPECT_EQ(outcome_of(Verdict::kPassed, Stage::kCall), (Outcome{true, {}, {}}));
  EXPECT_EQ(outcome_of(Verdict::kPassed, Stage::kExe), (Outcome{true, true, {}}));
  EXPECT_EQ(outcome_of(Verdict::kPassed, Stage::kPerf), (Outcome{true, true, true}));
}

TEST(OutcomeOf, FailureIsFalseFromItsStageOn) {
  EXPECT_EQ(outcome_of(Verdict::kCompileError, Stage::kCall), (Outcome{false, false, false}));
  EXPECT_EQ(outcome_of(Verdict::kWrongValue, Stage::kExe), (Outcome{true, false, false}));
  EXPECT_EQ(outcome_of(Verdict::kWrongValue, Stage::kPerf), (Outcome{true, true, false}));
}

TEST(OutcomeOf, WhatSaysNothingAboutTheCodeIsUnknown) {
  EXPECT_EQ(outcome_of(Verdict::kInfrastructure, Stage::kCall), Outcome{});
  EXPECT_EQ(outcome_of(Verdict::kUnsupportedOnCpu, Stage::kExe), (Outcome{true, {}, {}}));
  EXPECT_EQ(outcome_of(Verdict::kNeedsMoreMemory, Stage::kPerf), (Outcome{true, true, {}}));
}

}  // namespace
}  // namespace kbx
