// SPDX-License-Identifier: Apache-2.0
#include "kbx/report/record_text.h"

#include "tests/support/golden.h"

namespace kbx {
namespace {

TEST(RecordText, SaysAll) {
  Record record;
  record.id = "abs/m/1/2";
  record.task = "abs";
  record.category = "Math";
  record.code_sha256 = std::string(64, 'a');
  record.source = "in.jsonl:3";
  record.verdict = Verdict::kWrongValue;
  record.stage = Stage::kExe;
  record.reason = "case ragged: result[0, 7] is 2, expected 1";
  record.error_type = "ValueError";
  record.traceback = "line 1\n  line 2\n";
  record.stdout_text = "said \x1b[31mthis";
  record.cases = {{.label = "plain",
                   .reason = "",
                   .because = "one rounding",
                   .worst = Worst{"result", {}, "1", "1", 0, 1e-5},
                   .published = {},
                   .seconds = 0.25,
                   .launches = 1},
                  {.label = "ragged",
                   .verdict = Verdict::kWrongValue,
                   .reason = "1 of 33 elements is too far",
                   .because = "one rounding",
                   .worst = Worst{"result", {0, 7}, "1", "2", 1.0, 1e-5},
                   .published = false,
                   .seconds = 0.5,
                   .launches = 2}};
  record.kernels = {{"abs_kernel", 3, 1024, 32, 0}};
  record.targets = {{"abs_kernel", "sm_90", true, 1024, 32, 0, ""},
                    {"abs_kernel", "gfx942", false, {}, {}, {}, "no such intrinsic"}};
  record.findings = {{"out_of_bounds_read", "x[9]", 12}};
  record.not_enforced = {"cgroup: not available"};
  record.seconds = {0.006, 0.1, 0.2, 0.3, 0.01, 0.6};
  record.device = "cpu (emulating sm_90)";
  record.attempts = 2;
  expect_golden("record.txt", record_text(record, {false}));
}

TEST(RecordText, OfAnEmptySubmission) {
  Record record;
  record.id = "abs/m/0/0";
  record.task = "abs";
  record.category = "Math";
  record.verdict = Verdict::kEmpty;
  record.reason = "there is no code";
  expect_golden("record_empty.txt", record_text(record, {false}));
}

}  // namespace
}  // namespace kbx
