// SPDX-License-Identifier: Apache-2.0
#include "kbx/store/summary.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <fstream>
#include <set>

#include "kbx/base/error.h"
#include "kbx/record/json.h"
#include "kbx/store/files.h"
#include "kbx/store/results.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::array kColumns = {"method",   "total",     "call_pass", "call_rate",   "exe_pass",
                                 "exe_rate", "perf_pass", "perf_rate", "avg_speedup", "says_nothing"};

// Per cent with one decimal, as published.
Json rate(int64_t count, int64_t total) {
  if (total == 0) return nullptr;
  return std::round(1000.0 * static_cast<double>(count) / static_cast<double>(total)) / 10.0;
}

Json row(const std::string& method, const MethodSummary& s) {
  return {{"method", method},
          {"total", s.total},
          {"call_pass", s.call},
          {"call_rate", rate(s.call, s.total)},
          {"exe_pass", s.exe_open > 0 ? Json() : Json(s.exe)},
          {"exe_rate", s.exe_open > 0 ? Json() : rate(s.exe, s.total)},
          {"perf_pass", s.perf_open > 0 ? Json() : Json(s.perf)},
          {"perf_rate", s.perf_open > 0 ? Json() : rate(s.perf, s.total)},
          {"avg_speedup", s.timed == 0 ? Json() : Json(s.speedups / static_cast<double>(s.timed))},
          {"says_nothing", s.says_nothing}};
}

std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  const std::string& text = value.get_ref<const std::string&>();
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

// One entry of metrics.json.
Json metrics_of(const Record& record) {
  const Outcome outcome = outcome_of(record.verdict, record.stage);
  const auto speedup = speedup_of(record);
  return {{"file", record.category + "/" + record.task + ".py"},
          {"call_ok", outcome.call == true},
          {"exe_ok", outcome.exe == true},
          {"perf_ok", outcome.perf == true},
          {"speedup", speedup ? Json(*speedup) : Json("N/A")},
          {"runtime_ms", record.extra.value("runtime_ms", Json("N/A"))},
          {"gbs", record.extra.value("gbs", Json("N/A"))},
          {"tflops", record.extra.value("tflops", Json("N/A"))},
          {"error", record.verdict == Verdict::kPassed ? "" : record.reason},
          {"verdict", name_of(record.verdict)},
          {"method", record.method},
          {"round", record.round},
          {"sample", record.sample}};
}

// By the task's file, as published, where a run has one record a task; else by id, so that none hides another.
void write_metrics(const fs::path& run_folder, bool by_file) {
  const fs::path path = run_folder / "metrics.json";
  const fs::path beside = path.string() + ".new";
  std::ofstream out(beside, std::ios::binary);
  const char* separator = "{\n";
  for_each_record(run_folder / "results.jsonl", [&](const Record& record) {
    const Json entry = metrics_of(record);
    out << separator << dump(by_file ? entry["file"] : Json(record.id)) << ": " << dump(entry);
    separator = ",\n";
  });
  out << (separator[0] == '{' ? "{" : "\n") << "}\n";
  out.close();
  if (!out) throw Error(ErrorKind::kEnvironment, path.string() + ": cannot be written");
  fs::rename(beside, path);
}

}  // namespace

std::optional<double> speedup_of(const Record& record) {
  const auto speedup = record.extra.find("speedup");
  if (speedup == record.extra.end() || !speedup->is_object()) return std::nullopt;
  const auto point = speedup->find("point");
  if (point == speedup->end() || !point->is_number()) return std::nullopt;
  return point->get<double>();
}

void MethodSummary::add(const Record& record) {
  const Outcome outcome = outcome_of(record.verdict, record.stage);
  ++total;
  call += outcome.call == true;
  exe += outcome.exe == true;
  perf += outcome.perf == true;
  exe_open += record.verdict == Verdict::kPassed && !outcome.exe;
  perf_open += record.verdict == Verdict::kPassed && !outcome.perf;
  says_nothing += kbx::says_nothing(record.verdict);
  if (const auto speedup = speedup_of(record); speedup && outcome.perf == true) {
    ++timed;
    speedups += *speedup;
  }
}

void Summary::add(const Record& record) {
  all_.add(record);
  methods_[record.method].add(record);
  ++verdicts_[std::string(name_of(record.verdict))];
}

Json Summary::to_json() const {
  Json json = row(methods_.size() == 1 ? methods_.begin()->first : "*", all_);
  json["verdicts"] = verdicts_;
  json["methods"] = Json::array();
  for (const auto& [method, summary] : methods_) json["methods"].push_back(row(method, summary));
  return json;
}

std::string Summary::to_csv() const {
  std::string csv = fmt::format("{}\n", fmt::join(kColumns, ","));
  for (const auto& [method, summary] : methods_) {
    const Json cells = row(method, summary);
    for (const char* column : kColumns) csv += csv_cell(cells[column]) + (column == kColumns.back() ? "\n" : ",");
  }
  return csv;
}

int64_t write_summaries(const fs::path& run_folder) {
  Summary summary;
  std::set<std::string> tasks;
  const int64_t unreadable = for_each_record(run_folder / "results.jsonl", [&](const Record& record) {
    summary.add(record);
    tasks.insert(record.task);
  });
  replace_file(run_folder / "summary.json", dump(summary.to_json(), 2) + "\n");
  replace_file(run_folder / "summary.csv", summary.to_csv());
  write_metrics(run_folder, static_cast<int64_t>(tasks.size()) == summary.all().total);
  return unreadable;
}

}  // namespace kbx
