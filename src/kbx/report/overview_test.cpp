// SPDX-License-Identifier: Apache-2.0
#include "kbx/report/overview.h"

#include <gmock/gmock.h>

#include "tests/support/golden.h"

namespace kbx {
namespace {

using Json = nlohmann::json;

Record record_of(const std::string& task, const std::string& category, const std::string& method, Verdict verdict,
                 Stage stage) {
  Record record;
  record.id = task + "/" + method + "/0/0";
  record.task = task;
  record.category = category;
  record.method = method;
  record.verdict = verdict;
  record.stage = stage;
  return record;
}

Overview example() {
  Overview overview;
  overview.add(record_of("abs", "Math", "claude", Verdict::kPassed, Stage::kExe));
  overview.add(record_of("abs", "Math", "gpt-4o", Verdict::kWrongValue, Stage::kExe));
  overview.add(record_of("gelu", "Activation", "claude", Verdict::kCompileError, Stage::kCall));
  Record raised = record_of("gelu", "Activation", "gpt-4o", Verdict::kRuntimeError, Stage::kCall);
  raised.error_type = "TypeError";
  overview.add(raised);
  raised.id = "relu/gpt-4o/0/0";
  raised.task = "relu";
  raised.findings = {{"out_of_bounds_read", "x[9]", 3}};
  overview.add(raised);
  Record tampers = record_of("sum", "Reduce", "gpt-4o", Verdict::kTampered, Stage::kCall);
  tampers.not_enforced = {"cgroup: not available"};
  overview.add(tampers);
  overview.add(record_of("svd", "LinearAlgebra", "claude", Verdict::kUnsupportedOnCpu, Stage::kExe));
  return overview;
}

const Json kManifest = {{"state", "finished"},
                        {"device", "cpu (emulating sm_90)"},
                        {"versions", {{"torch", "2.11.0"}, {"triton", "3.6.0"}}},
                        {"problem_count", 2}};

TEST(Overview, Text) {
  expect_golden("report.txt", example().to_text(kManifest, {false}, 1));
}

TEST(Overview, TextInColour) {
  expect_golden("report_colour.txt", example().to_text(kManifest, {true}));
}

TEST(Overview, Json) {
  expect_golden("report.json", example().to_json(kManifest, 1).dump(2) + "\n");
}

TEST(Overview, OfNothing) {
  EXPECT_EQ(Overview().to_text(kManifest, {false}),
            "0 submissions: 0 (-) load and run, 0 (-) right\n"
            "run finished, on cpu (emulating sm_90), torch 2.11.0, triton 3.6.0\n");
}

// Names come from the input: none may reach the terminal as it is.
TEST(Overview, HostileNamesAreShownHarmless) {
  Overview overview;
  Record record = record_of("abs", "Math", "\x1b]0;title\x07\nm", Verdict::kTampered, Stage::kCall);
  record.error_type = "\x1b[31m";
  overview.add(record);
  const std::string text = overview.to_text(kManifest, {false});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
  EXPECT_NE(text.find("\\x1b]0;title\\x07 m"), std::string::npos);
}

TEST(Columns, AlignLeftAndRight) {
  EXPECT_EQ(columns({{"a", "bb", "c"}, {"\xc3\xa9\xc3\xa9\xc3\xa9", "b", "10"}}, 1),
            "a    bb   c\n\xc3\xa9\xc3\xa9\xc3\xa9   b  10\n");
}

}  // namespace
}  // namespace kbx
