// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kbx/base/error.h"
#include "kbx/timing/statistics.h"

namespace kbx::timing {
namespace {

using Json = nlohmann::json;
using Kind = BaselineFault::Kind;

constexpr int kBaselineVersion = 1;
// Times are readings with a step, so a few coincide by chance at small sizes; whole tasks do not.
constexpr double kCopiedShare = 0.05;
constexpr size_t kComparableSizes = 3;
// Between six cards of three generations, honest tasks differ from the file's own typical ratio by up to 2.5.
constexpr double kOutOfLine = 3;
constexpr size_t kOthersNeeded = 3;

std::vector<double> times_of(const std::vector<StoredSize>& sizes) {
  std::vector<double> times;
  for (const StoredSize& s : sizes) times.push_back(s.us);
  return times;
}

void find_copies(const StoredBaseline& baseline, std::span<const StoredBaseline> others,
                 std::vector<BaselineFault>& faults) {
  for (const StoredBaseline& other : others) {
    if (other.device == baseline.device) continue;
    size_t common = 0, same = 0;
    for (const auto& [task, sizes] : baseline.tasks) {
      const auto at = other.tasks.find(task);
      if (at == other.tasks.end() || sizes.size() < kComparableSizes) continue;
      ++common;
      if (times_of(sizes) == times_of(at->second)) ++same;
    }
    if (same > 1 && static_cast<double>(same) > kCopiedShare * static_cast<double>(common))
      faults.push_back(
          {.kind = Kind::kCopy,
           .task = {},
           .detail = fmt::format("{} of {} tasks have the very figures of {}", same, common, other.device)});
  }
}

void check_sizes(const std::string& task, const std::vector<StoredSize>& sizes, const std::vector<ExpectedSize>& wanted,
                 std::vector<BaselineFault>& faults) {
  const auto fault = [&](Kind kind, std::string detail) {
    faults.push_back({.kind = kind, .task = task, .detail = std::move(detail)});
  };
  const bool labelled = std::ranges::none_of(sizes, [](const StoredSize& s) { return s.label.empty(); });
  if (!labelled && sizes.size() != wanted.size())
    return fault(sizes.size() < wanted.size() ? Kind::kMissingSize : Kind::kOtherSize,
                 fmt::format("{} sizes without labels where {} are expected", sizes.size(), wanted.size()));
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto at = labelled ? std::ranges::find(sizes, wanted[i].label, &StoredSize::label)
                             : sizes.begin() + static_cast<std::ptrdiff_t>(i);
    if (at == sizes.end()) {
      fault(Kind::kMissingSize, fmt::format("no time for '{}'", wanted[i].label));
    } else if (!std::isfinite(at->us) || at->us <= 0) {
      fault(Kind::kNotATime, fmt::format("{} us at '{}'", at->us, wanted[i].label));
    } else if (at->us < 0.97 * wanted[i].strict_floor_us) {
      fault(Kind::kBelowFloor, fmt::format("{:.2f} us at '{}', where the hardware needs {:.2f}", at->us,
                                           wanted[i].label, wanted[i].strict_floor_us));
    }
  }
  for (const StoredSize& s : sizes)
    if (labelled && std::ranges::find(wanted, s.label, &ExpectedSize::label) == wanted.end())
      fault(Kind::kOtherSize, fmt::format("'{}' is no size of the catalogue", s.label));
}

// ln of this file's time over the median of the other files', in the median over a task's sizes; absent when too few
// others have the task.
std::optional<double> against_others(const std::string& task, const std::vector<StoredSize>& sizes,
                                     std::span<const StoredBaseline> others) {
  std::vector<double> ratios;
  for (size_t i = 0; i < sizes.size(); ++i) {
    std::vector<double> elsewhere;
    for (const StoredBaseline& other : others)
      if (const auto at = other.tasks.find(task); at != other.tasks.end() && i < at->second.size())
        if (const double us = at->second[i].us; std::isfinite(us) && us > 0) elsewhere.push_back(us);
    if (elsewhere.size() >= kOthersNeeded && std::isfinite(sizes[i].us) && sizes[i].us > 0)
      ratios.push_back(std::log(sizes[i].us / median(elsewhere)));
  }
  if (ratios.empty()) return std::nullopt;
  return median(std::move(ratios));
}

void find_out_of_line(const StoredBaseline& baseline, std::span<const StoredBaseline> others,
                      std::vector<BaselineFault>& faults) {
  std::map<std::string, double> ratios;
  std::vector<double> all;
  for (const auto& [task, sizes] : baseline.tasks)
    if (const auto ratio = against_others(task, sizes, others)) all.push_back(ratios[task] = *ratio);
  if (all.empty()) return;
  const double typical = median(all);
  for (const auto& [task, ratio] : ratios)
    if (std::abs(ratio - typical) > std::log(kOutOfLine))
      faults.push_back(
          {.kind = Kind::kOutOfLine,
           .task = task,
           .detail = fmt::format("{:.2f} times what this card's other tasks suggest from other cards' files",
                                 std::exp(ratio - typical))});
}

}  // namespace

Json to_json(const StoredBaseline& baseline) {
  Json tasks = Json::object();
  for (const auto& [task, sizes] : baseline.tasks) {
    Json list = Json::array();
    for (const StoredSize& s : sizes) {
      Json size = {{"label", s.label}, {"us", s.us}};
      if (s.lo_us) size["lo_us"] = *s.lo_us;
      if (s.hi_us) size["hi_us"] = *s.hi_us;
      list.push_back(std::move(size));
    }
    tasks[task] = std::move(list);
  }
  return {{"kbx_baseline", kBaselineVersion}, {"device", baseline.device}, {"uuid", baseline.uuid},
          {"driver", baseline.driver},        {"torch", baseline.torch},   {"tasks", std::move(tasks)}};
}

StoredBaseline read_baseline(const Json& json) {
  try {
    if (json.at("kbx_baseline").get<int>() != kBaselineVersion)
      throw Error(ErrorKind::kInput, "a baseline of another version", "measure it again with 'kbx baseline'");
    StoredBaseline baseline{.device = json.at("device").get<std::string>(),
                            .uuid = json.value("uuid", std::string()),
                            .driver = json.value("driver", std::string()),
                            .torch = json.value("torch", std::string()),
                            .tasks = {}};
    for (const auto& [task, list] : json.at("tasks").items())
      for (const Json& s : list) {
        StoredSize size{.label = s.at("label").get<std::string>(), .us = s.at("us").get<double>()};
        if (s.contains("lo_us")) size.lo_us = s["lo_us"].get<double>();
        if (s.contains("hi_us")) size.hi_us = s["hi_us"].get<double>();
        baseline.tasks[task].push_back(std::move(size));
      }
    return baseline;
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kInput, fmt::format("not a baseline: {}", error.what()));
  }
}

StoredBaseline read_published_baseline(const Json& json, std::string device) {
  try {
    StoredBaseline baseline{.device = std::move(device), .uuid = {}, .driver = {}, .torch = {}, .tasks = {}};
    for (const auto& [task, list] : json.items()) {
      auto& sizes = baseline.tasks[task];
      for (const Json& ms : list) sizes.push_back({.label = {}, .us = ms.get<double>() * 1e3});
    }
    return baseline;
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kInput, fmt::format("not a published baseline: {}", error.what()));
  }
}

std::vector<BaselineFault> faults_of(const StoredBaseline& baseline, const ExpectedSizes& expected,
                                     std::span<const StoredBaseline> others) {
  std::vector<BaselineFault> faults;
  find_copies(baseline, others, faults);
  for (const auto& [task, wanted] : expected) {
    const auto at = baseline.tasks.find(task);
    if (at == baseline.tasks.end())
      faults.push_back({.kind = Kind::kMissingTask, .task = task, .detail = "not in the file"});
    else
      check_sizes(task, at->second, wanted, faults);
  }
  find_out_of_line(baseline, others, faults);
  return faults;
}

bool refuses_file(std::span<const BaselineFault> faults) {
  return std::ranges::any_of(faults, [](const BaselineFault& f) { return f.task.empty(); });
}

std::optional<double> stored_time(const StoredBaseline& baseline, std::span<const BaselineFault> faults,
                                  const std::string& task, const std::string& label, size_t position) {
  if (refuses_file(faults)) return std::nullopt;
  if (std::ranges::find(faults, task, &BaselineFault::task) != faults.end()) return std::nullopt;
  const auto at = baseline.tasks.find(task);
  if (at == baseline.tasks.end()) return std::nullopt;
  for (size_t i = 0; i < at->second.size(); ++i) {
    const StoredSize& s = at->second[i];
    if (s.label.empty() ? i == position : s.label == label) return s.us;
  }
  return std::nullopt;
}

}  // namespace kbx::timing
