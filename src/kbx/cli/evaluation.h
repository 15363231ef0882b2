// SPDX-License-Identifier: Apache-2.0
// One `kbx run` from its settings to its exit code: folder, judges, scheduling, records, what is said meanwhile and in
// the end.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kbx/run/judge_pool.h"
#include "kbx/store/run_folder.h"

namespace kbx {

struct RunSettings {
  std::vector<std::string> paths;
  std::filesystem::path out;
  bool resume = false;
  bool json = false;
  int jobs = 0;  // 0: as many as suit the machine
  Seed seed;     // of a new run
  // Of a new run, as run.json keeps it: devices, target, targets, stages, timeout_s, compile_timeout_s, oracle, shard,
  // task, unsafe_no_sandbox, keep_artifacts, scratch.
  nlohmann::json config;
};

// Answers with the exit code.
int evaluate_run(const RunSettings& settings);

// Judges for a run with this configuration.
PoolConfig pool_config(const nlohmann::json& config, const std::string& seed, const std::filesystem::path& run,
                       int jobs);

}  // namespace kbx
