// SPDX-License-Identifier: Apache-2.0
#include "kbx/report/record_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kbx {
namespace {

std::string or_dash(const std::optional<int64_t>& value) {
  return value ? std::to_string(*value) : "-";
}

std::string verdict_text(Verdict verdict, const Style& style) {
  return verdict == Verdict::kPassed ? style.good(name_of(verdict)) : style.bad(name_of(verdict));
}

std::string section(std::string_view title, const std::string& body, const Style& style) {
  return body.empty() ? "" : "\n" + style.strong(title) + "\n" + body;
}

std::string indented(std::string_view captured) {
  std::string text;
  for (std::string rest = shown(captured); !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    text += "  " + rest.substr(0, end) + '\n';
    rest.erase(0, end + 1);
  }
  return text;
}

std::string worst_text(const Worst& worst, bool passed) {
  const std::string index = worst.index.empty() ? "" : fmt::format("[{}]", fmt::join(worst.index, ", "));
  return fmt::format("      {} {}{}: expected {}, got {}, error {:.3g}, bound {:.3g}\n",
                     passed ? "nearest to its bound" : "worst", shown_in_line(worst.output), index,
                     shown_in_line(worst.expected), shown_in_line(worst.got), worst.error, worst.bound);
}

std::string case_text(const CaseResult& result, const Style& style) {
  const bool passed = result.verdict == Verdict::kPassed;
  std::string text =
      fmt::format("  {}  {}, {:.3f} s, {}", shown_in_line(result.label), verdict_text(result.verdict, style),
                  result.seconds, counted(result.launches, "kernel"));
  text += " launched\n";
  if (!result.reason.empty()) text += "      " + shown_in_line(result.reason, 500) + '\n';
  if (result.worst) text += worst_text(*result.worst, passed);
  if (result.worst && !result.because.empty()) text += "      the bound: " + shown_in_line(result.because, 500) + '\n';
  if (result.published)
    text += fmt::format("      the published rule {} it\n", *result.published ? "accepts" : "refuses");
  return text;
}

std::string kernel_table(const Record& record) {
  if (record.kernels.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"kernel", "launches", "shared bytes", "registers", "spills"}};
  for (const KernelUse& kernel : record.kernels)
    rows.push_back({shown_in_line(kernel.name, 60), std::to_string(kernel.launches), or_dash(kernel.shared_bytes),
                    or_dash(kernel.registers), or_dash(kernel.spills)});
  return columns(rows, 1, "  ");
}

std::string target_table(const Record& record) {
  if (record.targets.empty()) return "";
  std::vector<std::vector<std::string>> rows = {
      {"kernel", "target", "compiles", "shared bytes", "registers", "spills"}};
  std::string errors;
  for (const TargetResult& result : record.targets) {
    rows.push_back({shown_in_line(result.kernel, 60), result.target, result.compiled ? "yes" : "no",
                    or_dash(result.shared_bytes), or_dash(result.registers), or_dash(result.spills)});
    if (!result.error.empty())
      errors += fmt::format("  {} on {}: {}\n", shown_in_line(result.kernel, 60), result.target,
                            shown_in_line(result.error, 500));
  }
  return columns(rows, 3, "  ") + errors;
}

}  // namespace

std::string record_text(const Record& record, const Style& style) {
  std::string text = fmt::format("{}: {} in {}\n", style.strong(shown_in_line(record.id, 400)),
                                 verdict_text(record.verdict, style), name_of(record.stage));
  if (!record.reason.empty()) text += shown_in_line(record.reason, 1000) + '\n';
  std::vector<std::vector<std::string>> facts = {{"task", shown_in_line(record.task + " (" + record.category + ")")},
                                                 {"source", shown_in_line(record.source, 400)},
                                                 {"code", record.code_sha256.empty() ? "none" : record.code_sha256},
                                                 {"device", shown_in_line(record.device)},
                                                 {"attempts", std::to_string(record.attempts)}};
  if (!record.error_type.empty()) facts.push_back({"exception", shown_in_line(record.error_type)});
  text += '\n' + columns(facts, 2, "  ");

  std::string cases;
  for (const CaseResult& result : record.cases) cases += case_text(result, style);
  text += section("Cases", cases, style);
  text += section("Kernels", kernel_table(record), style);
  text += section("Targets", target_table(record), style);
  std::string findings;
  for (const Finding& finding : record.findings)
    findings +=
        fmt::format("  {}{}: {}\n", shown_in_line(finding.rule),
                    finding.line > 0 ? fmt::format(", line {}", finding.line) : "", shown_in_line(finding.detail, 500));
  text += section("Findings", findings, style);
  std::string not_enforced;
  for (const std::string& part : record.not_enforced) not_enforced += "  " + shown_in_line(part) + '\n';
  text += section("Not enforced by the sandbox", not_enforced, style);
  text += section("Traceback", indented(record.traceback), style);
  text += section("Standard output", indented(record.stdout_text), style);
  text += section("Standard error", indented(record.stderr_text), style);
  const Costs& s = record.seconds;
  text += section(
      "Seconds",
      columns({{"fork", "load", "compile", "calls", "reference", "total"},
               {fmt::format("{:.3f}", s.fork), fmt::format("{:.3f}", s.load), fmt::format("{:.3f}", s.compile),
                fmt::format("{:.3f}", s.calls), fmt::format("{:.3f}", s.reference), fmt::format("{:.3f}", s.total)}},
              0, "  "),
      style);
  return text;
}

}  // namespace kbx
