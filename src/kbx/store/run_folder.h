// SPDX-License-Identifier: Apache-2.0
// The folder of one run. It is made once and never overwritten; one writer at a time holds its lock; run.json says what
// the run is and how far it came, and is replaced as a whole.
//
//   run.json       configuration, versions, device, problems of the input, hash of the seed; the seed once it is over
//   submissions/   each code once, and the index
//   results.jsonl  one record a submission
//   metrics.json, summary.json, summary.csv    made from the records when a command ends
//   kbx.log
//   .seed          mode 0600, until the run is over: who knows the seed knows the inputs
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "kbx/base/fd.h"

namespace kbx {

struct Seed {
  std::string text;
  bool known = false;  // named by whoever started the run, so that submissions could have been made for it
};

class RunFolder {
 public:
  // A new run. Throws Error(kUsage) when the folder holds anything.
  static RunFolder create(const std::filesystem::path& path, const Seed& seed);
  // To go on with one. Throws Error(kUsage) when it holds no run or another program writes to it.
  static RunFolder resume(const std::filesystem::path& path);
  // To look at one, also while it is being written.
  static RunFolder open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path submissions() const { return path_ / "submissions"; }
  std::filesystem::path results() const { return path_ / "results.jsonl"; }
  std::filesystem::path log() const { return path_ / "kbx.log"; }

  // run.json; what is changed here is written by save().
  nlohmann::json& manifest() { return manifest_; }
  const nlohmann::json& manifest() const { return manifest_; }
  void save() const;

  Seed seed() const;
  // Ends the run: only now run.json tells the seed.
  void publish_seed();

 private:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}
  void lock();

  std::filesystem::path path_;
  nlohmann::json manifest_ = nlohmann::json::object();
  Fd lock_;
};

// runs/2024-06-01-120000, with a number behind it where that is taken.
std::filesystem::path default_run_folder();

// 2024-06-01T12:00:00Z
std::string timestamp();

}  // namespace kbx
