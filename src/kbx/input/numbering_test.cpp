// SPDX-License-Identifier: Apache-2.0
#include "kbx/input/numbering.h"

#include <gmock/gmock.h>

namespace kbx {
namespace {

struct Placing {
  Numbering numbering;
  int64_t line = 0;

  // The sample given, or the reason.
  std::string place(const char* code, std::optional<int64_t> sample = {}, const char* method = "m") {
    Submission submission;
    submission.task = "abs";
    submission.method = method;
    submission.sample = sample;
    submission.code = code;
    submission.file = "in.jsonl";
    submission.line = ++line;
    const auto reason = numbering.place(submission);
    return reason ? *reason : std::to_string(*submission.sample);
  }
};

TEST(Numbering, OtherCodeWithoutASampleGetsTheNextNumber) {
  Placing p;
  EXPECT_EQ(p.place("a"), "0");
  EXPECT_EQ(p.place("b"), "1");
  EXPECT_EQ(p.place("c"), "2");
  EXPECT_EQ(p.place("c", {}, "other"), "0");
}

TEST(Numbering, IdenticalCodeIsRefused) {
  Placing p;
  EXPECT_EQ(p.place("a"), "0");
  EXPECT_EQ(p.place("a"), "the same code as in.jsonl:1");
  EXPECT_EQ(p.place("a", 5), "5");
  EXPECT_EQ(p.place("a", 5), "the same code and sample as in.jsonl:3");
  EXPECT_EQ(p.place("a", 6), "6");
}

// Neither order may let one of two codes be measured and the other reported.
TEST(Numbering, TwoCodesNeverShareASample) {
  Placing p;
  EXPECT_EQ(p.place("a", 0), "0");
  EXPECT_EQ(p.place("b", 0), "other code for the sample of in.jsonl:1");
  EXPECT_EQ(p.place("c"), "1");
  EXPECT_EQ(p.place("d", 1), "other code for the sample of in.jsonl:3");
}

}  // namespace
}  // namespace kbx
