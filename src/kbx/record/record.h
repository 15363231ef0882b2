// SPDX-License-Identifier: Apache-2.0
// The record of one submission: plain structs, version 1 of results.jsonl. What is not known is absent (std::nullopt,
// an empty section), never a number that looks like one. The JSON form is in record/json.h, its schema in
// docs/schema/record.v1.json.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbx {

inline constexpr int kRecordVersion = 1;

// How far a submission gets: loads and runs; computes the right thing; is still right when timed, and how fast.
enum class Stage { kCall, kExe, kPerf };

// What happened to a submission. A verdict stands beside the stage where it fell; outcome_of maps the pair to the three
// booleans call, exe and perf.
enum class Verdict {
  kPassed,
  kWrongStructure,  // not the number or kind of results that the task describes
  kWrongShape,
  kWrongDtype,
  kWrongValue,
  kNonfinite,      // NaN or infinity where the answer has none, or the other way about
  kTimingSuspect,  // a check of timing failed
  kMutatedInput,
  kOutOfBoundsWrite,
  kSyntaxError,
  kMissingEntry,
  kImportError,
  kCompileError,
  kRuntimeError,
  kDeviceFault,
  kOutOfMemory,
  kTimeout,
  kCrashed,
  kOutputFlood,
  kEmpty,  // no code
  kSandboxViolation,
  kTampered,          // an act against the harness itself
  kUnsupportedOnCpu,  // cannot be told without a GPU
  kNeedsMoreMemory,   // the machine is too small for the task
  kInfrastructure,    // the harness failed, twice
};

// Names as they stand in files and in print: "wrong_value", "exe".
std::string_view name_of(Verdict verdict);
std::string_view name_of(Stage stage);
std::optional<Verdict> verdict_named(std::string_view name);
std::optional<Stage> stage_named(std::string_view name);

// The worst element of an output that was refused (or the closest to its bound, where it was accepted).
struct Worst {
  std::string output;          // "result", "result[1]", "running_mean"
  std::vector<int64_t> index;  // of the element, empty for a scalar
  std::string expected;        // as printed: values may be complex, integers or not finite
  std::string got;
  double error = 0;  // |got - expected|, or the quantity that the contract bounds
  double bound = 0;
};

// What happened in one case.
struct CaseResult {
  std::string label;
  Verdict verdict = Verdict::kPassed;
  Stage stage = Stage::kExe;
  std::string reason;   // one sentence, empty when passed
  std::string because;  // why the bound is what it is
  std::optional<Worst> worst;
  std::optional<bool> published;  // the published rule's answer, where asked for
  double seconds = 0;             // from "go" to "done", wall clock, compiling included
  int launches = 0;               // Triton kernels launched
};

// One Triton kernel on one compile target.
struct TargetResult {
  std::string kernel;
  std::string target;  // "sm_90", "gfx942"
  bool compiled = false;
  std::optional<int64_t> shared_bytes;
  std::optional<int64_t> registers;
  std::optional<int64_t> spills;
  std::string error;
};

// A kernel that the submission itself compiled and launched.
struct KernelUse {
  std::string name;
  int64_t launches = 0;
  std::optional<int64_t> shared_bytes;
  std::optional<int64_t> registers;
  std::optional<int64_t> spills;
};

// Something noticed that decides nothing by itself: "out_of_bounds_read", with the line of the submission where known.
struct Finding {
  std::string rule;
  std::string detail;
  int64_t line = 0;  // 0: not known
};

// Where the wall time of a submission went, in seconds. What is not listed is overhead of the harness.
struct Costs {
  double fork = 0;  // until the guest says hello
  double load = 0;  // importing the submission
  double compile = 0;
  double calls = 0;  // from "go" to "done", compiling included
  double reference = 0;
  double total = 0;
};

struct Record {
  // Which submission.
  std::string id;  // unique in a run: "task/method/round/sample", made by the input reader
  std::string task;
  std::string category;
  std::string method;
  int64_t round = 0;
  int64_t sample = 0;
  std::string code_sha256;  // empty when there is no code
  std::string source;       // "file.jsonl:12"

  // What happened.
  Verdict verdict = Verdict::kInfrastructure;
  Stage stage = Stage::kCall;
  std::string reason;                    // for people: one line
  std::string error_type;                // the exception's class, "" when none
  std::string traceback;                 // the submission's own frames, capped
  std::string stdout_text, stderr_text;  // capped, never parsed
  std::vector<CaseResult> cases;
  std::vector<KernelUse> kernels;
  std::vector<TargetResult> targets;
  std::vector<Finding> findings;
  std::vector<std::string> not_enforced;  // parts of the sandbox that this machine did not enforce
  Costs seconds;
  std::string device;  // "cpu (emulating sm_90)", "NVIDIA H200"
  int attempts = 1;

  // Sections that later work fills: sizes, speedup, environment, own_kernel_share, static_findings, published,
  // previous_sha256; and submitted, the input line's keys that kbx does not know. They are carried through unchanged by
  // readers that do not know them.
  nlohmann::json extra = nlohmann::json::object();
};

// Whether the verdict leaves open what the code is worth: such records are counted and shown apart.
bool says_nothing(Verdict verdict);

// The booleans of the published tables. Absent: not measured, or not to be told (says_nothing).
struct Outcome {
  std::optional<bool> call, exe, perf;
  bool operator==(const Outcome&) const = default;
};
Outcome outcome_of(Verdict verdict, Stage stage);

}  // namespace kbx
