// SPDX-License-Identifier: Apache-2.0
// What a run came to: rates by method and category, verdicts by stage, and what deserves a look. A pure function of
// the records and run.json; it keeps counts, not records.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kbx/record/record.h"
#include "kbx/report/text.h"
#include "kbx/store/summary.h"

namespace kbx {

class Overview {
 public:
  void add(const Record& record);

  // manifest: the run's run.json. unreadable: lines of results.jsonl that are no record.
  nlohmann::json to_json(const nlohmann::json& manifest, int64_t unreadable = 0) const;
  std::string to_text(const nlohmann::json& manifest, const Style& style, int64_t unreadable = 0) const;

 private:
  // A count with its first few members.
  struct Sightings {
    int64_t count = 0;
    std::vector<std::string> ids;
  };

  std::vector<std::string> look_at(const nlohmann::json& manifest, int64_t unreadable) const;
  std::string method_table(const Style& style) const;
  std::string category_table(const Style& style) const;
  std::string verdict_table(const Style& style) const;

  Summary summary_;
  std::map<std::string, std::map<std::string, MethodSummary>> categories_;  // category, method
  std::map<std::pair<Stage, Verdict>, int64_t> verdicts_;
  std::map<Verdict, Sightings> odd_;           // verdicts that somebody should look at
  std::map<std::string, Sightings> findings_;  // by rule
  std::map<std::string, int64_t> errors_;      // by class of the exception
  std::map<std::string, int64_t> not_enforced_;
  std::map<std::string, bool> solved_;  // by task
};

}  // namespace kbx
