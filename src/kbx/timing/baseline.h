// SPDX-License-Identifier: Apache-2.0
// Baselines measured elsewhere and stored: the file, and whether it can be true. Published files were found to be
// copies of another card's, to imply more bandwidth than the card has, and to lack sizes; none of that passes here.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kbx::timing {

struct StoredSize {
  std::string label;  // empty in published files, which only have an order
  double us = 0;
  std::optional<double> lo_us = {}, hi_us = {};
};

struct StoredBaseline {
  std::string device, uuid, driver, torch;  // uuid, driver and torch are empty where the file does not tell
  std::map<std::string, std::vector<StoredSize>> tasks;
};

// This project's format, version 1. read throws kbx::Error(kInput) on anything else.
nlohmann::json to_json(const StoredBaseline& baseline);
StoredBaseline read_baseline(const nlohmann::json& json);
// The published format: {task: [ms, ...]} in the order of the published sweep.
StoredBaseline read_published_baseline(const nlohmann::json& json, std::string device);

// What a baseline of this device has to hold.
struct ExpectedSize {
  std::string label;
  double strict_floor_us = 0;  // hardware.h; 0: not known
};
using ExpectedSizes = std::map<std::string, std::vector<ExpectedSize>>;

struct BaselineFault {
  enum class Kind {
    kCopy,         // the same figures as another card's file: refuses the file
    kBelowFloor,   // faster than the hardware permits: refuses the task
    kNotATime,     // zero, negative or not finite: refuses the task
    kMissingTask,  // refuses the task
    kMissingSize,  // refuses the task
    kOtherSize,    // a size that the catalogue does not have: refuses the task
    kOutOfLine,    // unlike what every other card's file says: refuses the task
  };
  Kind kind{};
  std::string task;  // empty when it is about the file
  std::string detail;
};

// others: files of other cards, to compare with; may be empty.
std::vector<BaselineFault> faults_of(const StoredBaseline& baseline, const ExpectedSizes& expected,
                                     std::span<const StoredBaseline> others);
bool refuses_file(std::span<const BaselineFault> faults);

// Of a task that no fault refuses: the baseline at this size, in microseconds. Sizes without labels go by position.
std::optional<double> stored_time(const StoredBaseline& baseline, std::span<const BaselineFault> faults,
                                  const std::string& task, const std::string& label, size_t position);

}  // namespace kbx::timing
