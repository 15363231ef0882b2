// SPDX-License-Identifier: Apache-2.0
#include "kbx/record/record.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kbx {
namespace {

constexpr std::array kVerdicts = {
    std::pair{Verdict::kPassed, "passed"},
    std::pair{Verdict::kWrongStructure, "wrong_structure"},
    std::pair{Verdict::kWrongShape, "wrong_shape"},
    std::pair{Verdict::kWrongDtype, "wrong_dtype"},
    std::pair{Verdict::kWrongValue, "wrong_value"},
    std::pair{Verdict::kNonfinite, "nonfinite"},
    std::pair{Verdict::kTimingSuspect, "timing_suspect"},
    std::pair{Verdict::kMutatedInput, "mutated_input"},
    std::pair{Verdict::kOutOfBoundsWrite, "out_of_bounds_write"},
    std::pair{Verdict::kSyntaxError, "syntax_error"},
    std::pair{Verdict::kMissingEntry, "missing_entry"},
    std::pair{Verdict::kImportError, "import_error"},
    std::pair{Verdict::kCompileError, "compile_error"},
    std::pair{Verdict::kRuntimeError, "runtime_error"},
    std::pair{Verdict::kDeviceFault, "device_fault"},
    std::pair{Verdict::kOutOfMemory, "out_of_memory"},
    std::pair{Verdict::kTimeout, "timeout"},
    std::pair{Verdict::kCrashed, "crashed"},
    std::pair{Verdict::kOutputFlood, "output_flood"},
    std::pair{Verdict::kEmpty, "empty"},
    std::pair{Verdict::kSandboxViolation, "sandbox_violation"},
    std::pair{Verdict::kTampered, "tampered"},
    std::pair{Verdict::kUnsupportedOnCpu, "unsupported_on_cpu"},
    std::pair{Verdict::kNeedsMoreMemory, "needs_more_memory"},
    std::pair{Verdict::kInfrastructure, "infrastructure"},
};

constexpr std::array kStages = {
    std::pair{Stage::kCall, "call"},
    std::pair{Stage::kExe, "exe"},
    std::pair{Stage::kPerf, "perf"},
};

template <class Table, class Value>
std::string_view name_in(const Table& table, Value value) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.first == value; });
  return found == table.end() ? "?" : found->second;
}

template <class Table>
auto named_in(const Table& table, std::string_view name) -> std::optional<decltype(table.front().first)> {
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.second == name; });
  if (found == table.end()) return std::nullopt;
  return found->first;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  return name_in(kVerdicts, verdict);
}
std::string_view name_of(Stage stage) {
  return name_in(kStages, stage);
}
std::optional<Verdict> verdict_named(std::string_view name) {
  return named_in(kVerdicts, name);
}
std::optional<Stage> stage_named(std::string_view name) {
  return named_in(kStages, name);
}

bool says_nothing(Verdict verdict) {
  return verdict == Verdict::kUnsupportedOnCpu || verdict == Verdict::kNeedsMoreMemory ||
         verdict == Verdict::kInfrastructure;
}

// Before the stage where the verdict fell all is true. From that stage on all is false for a failure, since what does
// not load cannot be right and what is wrong cannot be fast; not known for a verdict that says nothing about the code.
// After a passed stage nothing was measured.
Outcome outcome_of(Verdict verdict, Stage stage) {
  const bool passed = verdict == Verdict::kPassed;
  const auto at = [&](Stage asked) -> std::optional<bool> {
    if (asked < stage || (passed && asked == stage)) return true;
    if (passed || says_nothing(verdict)) return std::nullopt;
    return false;
  };
  return {at(Stage::kCall), at(Stage::kExe), at(Stage::kPerf)};
}

}  // namespace kbx
