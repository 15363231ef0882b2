// SPDX-License-Identifier: Apache-2.0
// The files that scripts for the published results read: summary.json and summary.csv (one row a method) and
// metrics.json (one entry a submission), with the published keys. A time that was not measured is null in summary.json,
// empty in summary.csv and "N/A" in metrics.json, as it is there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "kbx/record/record.h"

namespace kbx {

// Counts over the records of one method. total is the denominator of every rate.
struct MethodSummary {
  int64_t total = 0;
  int64_t call = 0, exe = 0, perf = 0;
  int64_t exe_open = 0, perf_open = 0;  // came as far as was asked, which was less: then there is no count
  int64_t says_nothing = 0;             // unsupported_on_cpu, needs_more_memory, infrastructure
  int64_t timed = 0;
  double speedups = 0;  // sum over the timed

  void add(const Record& record);
};

class Summary {
 public:
  void add(const Record& record);
  const std::map<std::string, MethodSummary>& methods() const { return methods_; }
  const MethodSummary& all() const { return all_; }

  nlohmann::json to_json() const;
  std::string to_csv() const;

 private:
  std::map<std::string, MethodSummary> methods_;
  MethodSummary all_;
  std::map<std::string, int64_t> verdicts_;
};

// The speedup of a record that has one.
std::optional<double> speedup_of(const Record& record);

// Reads results.jsonl and writes the three files. Answers with the number of lines that are no record.
int64_t write_summaries(const std::filesystem::path& run_folder);

}  // namespace kbx
