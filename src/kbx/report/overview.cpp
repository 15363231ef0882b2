// SPDX-License-Identifier: Apache-2.0
#include "kbx/report/overview.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kbx {
namespace {

using Json = nlohmann::json;

bool is_odd(Verdict verdict) {
  return says_nothing(verdict) || verdict == Verdict::kTampered || verdict == Verdict::kSandboxViolation ||
         verdict == Verdict::kTimingSuspect;
}

std::string text_at(const Json& json, const char* key) {
  const auto at = json.find(key);
  return at != json.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::string share(int64_t count, int64_t total) {
  return fmt::format("{} ({})", count, percent(count, total));
}

// What is right was not asked everywhere (--stages call): then there is no count.
std::string right_text(const MethodSummary& s) {
  return s.exe_open > 0 ? "not asked" : share(s.exe, s.total);
}

}  // namespace

void Overview::add(const Record& record) {
  constexpr size_t kShownIds = 3;
  const auto sighted = [&](Sightings& sightings) {
    if (++sightings.count <= static_cast<int64_t>(kShownIds)) sightings.ids.push_back(record.id);
  };
  summary_.add(record);
  categories_[record.category][record.method].add(record);
  ++verdicts_[{record.stage, record.verdict}];
  if (is_odd(record.verdict)) sighted(odd_[record.verdict]);
  for (const Finding& finding : record.findings) sighted(findings_[finding.rule]);
  if (!record.error_type.empty()) ++errors_[record.error_type];
  for (const std::string& part : record.not_enforced) ++not_enforced_[part];
  bool& solved = solved_[record.task];
  solved = solved || outcome_of(record.verdict, record.stage).exe == true;
}

std::vector<std::string> Overview::look_at(const Json& manifest, int64_t unreadable) const {
  std::vector<std::string> lines;
  const auto list = [](const Sightings& sightings) {
    std::string text = fmt::format("{}", fmt::join(sightings.ids, ", "));
    if (sightings.count > static_cast<int64_t>(sightings.ids.size())) text += ", ...";
    return shown_in_line(text, 300);
  };
  for (const auto& [verdict, sightings] : odd_)
    lines.push_back(fmt::format("{} {}: {}", sightings.count, name_of(verdict), list(sightings)));
  for (const auto& [rule, sightings] : findings_)
    lines.push_back(
        fmt::format("finding {}, {}: {}", shown_in_line(rule), counted(sightings.count, "time"), list(sightings)));
  if (const int64_t problems = manifest.value("problem_count", int64_t{0}); problems > 0)
    lines.push_back(counted(problems, "line") + " of the input could not be used; run.json lists them");
  if (unreadable > 0) lines.push_back(counted(unreadable, "line") + " of results.jsonl could not be read");
  for (const auto& [part, count] : not_enforced_)
    lines.push_back(
        fmt::format("not enforced by the sandbox in {}: {}", counted(count, "record"), shown_in_line(part)));
  if (!errors_.empty()) {
    std::vector<std::pair<int64_t, std::string>> errors;
    for (const auto& [type, count] : errors_) errors.emplace_back(-count, type);
    std::sort(errors.begin(), errors.end());
    std::vector<std::string> first;
    constexpr size_t kShown = 4;
    for (const auto& [count, type] : errors)
      if (first.size() < kShown) first.push_back(fmt::format("{} {}", -count, shown_in_line(type, 60)));
    lines.push_back(fmt::format("most frequent exceptions: {}", fmt::join(first, ", ")));
  }
  const auto unsolved = std::count_if(solved_.begin(), solved_.end(), [](const auto& task) { return !task.second; });
  if (unsolved > 0)
    lines.push_back(
        fmt::format("{} of {} solved by nobody", unsolved, counted(static_cast<int64_t>(solved_.size()), "task")));
  return lines;
}

Json Overview::to_json(const Json& manifest, int64_t unreadable) const {
  Json json = summary_.to_json();
  for (const char* key : {"state", "started", "finished", "device", "versions", "problem_count"})
    if (manifest.contains(key)) json[key] = manifest[key];
  json["categories"] = Json::array();
  for (const auto& [category, methods] : categories_) {
    for (const auto& [method, s] : methods)
      json["categories"].push_back({{"category", category},
                                    {"method", method},
                                    {"total", s.total},
                                    {"call_pass", s.call},
                                    {"exe_pass", s.exe},
                                    {"perf_pass", s.perf}});
  }
  json["verdicts_by_stage"] = Json::array();
  for (const auto& [at, count] : verdicts_)
    json["verdicts_by_stage"].push_back(
        {{"stage", name_of(at.first)}, {"verdict", name_of(at.second)}, {"count", count}});
  json["look_at"] = look_at(manifest, unreadable);
  return json;
}

std::string Overview::method_table(const Style& style) const {
  std::vector<std::vector<std::string>> rows = {
      {"method", "submissions", "load and run", "right", "of those that run"}};
  for (const auto& [method, s] : summary_.methods())
    rows.push_back({shown_in_line(method, 40), std::to_string(s.total), share(s.call, s.total), right_text(s),
                    s.exe_open > 0 ? "-" : percent(s.exe, s.call)});
  return style.strong("By method") + "\n" + columns(rows, 1, "  ");
}

std::string Overview::category_table(const Style& style) const {
  std::vector<std::vector<std::string>> rows = {{"category"}};
  for (const auto& [method, s] : summary_.methods()) rows[0].push_back(shown_in_line(method, 24));
  for (const auto& [category, methods] : categories_) {
    rows.push_back({category});
    for (const auto& [method, s] : summary_.methods()) {
      const auto at = methods.find(method);
      rows.back().push_back(at == methods.end() || at->second.exe_open > 0
                                ? "-"
                                : fmt::format("{}/{}", at->second.exe, at->second.total));
    }
  }
  return style.strong("Right, of all, by category") + "\n" + columns(rows, 1, "  ");
}

std::string Overview::verdict_table(const Style& style) const {
  std::vector<std::vector<std::string>> rows = {{"stage", "verdict", "count", "of all"}};
  for (const auto& [at, count] : verdicts_)
    rows.push_back({std::string(name_of(at.first)), std::string(name_of(at.second)), std::to_string(count),
                    percent(count, summary_.all().total)});
  return style.strong("Verdicts, by the stage where they fell") + "\n" + columns(rows, 2, "  ");
}

std::string Overview::to_text(const Json& manifest, const Style& style, int64_t unreadable) const {
  const MethodSummary& all = summary_.all();
  std::string headline =
      fmt::format("{}: {} load and run, {} right", counted(all.total, "submission"), share(all.call, all.total),
                  all.exe_open > 0 ? "not asked whether they are" : share(all.exe, all.total));
  std::string text = style.strong(headline) + "\n";
  std::vector<std::string> facts = {"run " + text_at(manifest, "state"),
                                    "on " + shown_in_line(text_at(manifest, "device"))};
  if (const auto versions = manifest.find("versions"); versions != manifest.end() && versions->is_object()) {
    for (const auto& [name, version] : versions->items())
      if (version.is_string()) facts.push_back(shown_in_line(name + " " + version.get<std::string>(), 60));
  }
  text += fmt::format("{}\n", fmt::join(facts, ", "));
  if (all.says_nothing > 0) text += fmt::format("verdicts that say nothing about the code: {}\n", all.says_nothing);
  if (all.total == 0) return text;
  text += '\n' + method_table(style) + '\n' + category_table(style) + '\n' + verdict_table(style);
  const auto lines = look_at(manifest, unreadable);
  if (!lines.empty()) text += '\n' + style.strong("Worth a look") + '\n';
  for (const std::string& line : lines) text += "  " + line + '\n';
  return text;
}

}  // namespace kbx
