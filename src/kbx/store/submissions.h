// SPDX-License-Identifier: Apache-2.0
// The submissions of a run, on disk: submissions/<sha256>.py holds each code once, submissions/index.jsonl one line a
// submission. The index is the run's queue; in memory a submission is its offset there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "kbx/base/fd.h"
#include "kbx/input/submission.h"

namespace kbx {

struct StoredSubmission {
  Submission submission;
  std::string sha256;  // empty when there is no code
};

class SubmissionStore {
 public:
  // Drops a last line of the index that a crash left unfinished.
  static SubmissionStore open_for_adding(const std::filesystem::path& folder);
  static SubmissionStore open_for_reading(const std::filesystem::path& folder);

  // Answers with the offset.
  uint64_t add(const Submission& submission);
  // With its code, which is checked against its hash: what was submitted is what runs.
  StoredSubmission at(uint64_t offset) const;
  // Without code. The visitor may stop by answering false.
  void for_each(const std::function<bool(uint64_t offset, const StoredSubmission&)>& visit) const;

 private:
  SubmissionStore(std::filesystem::path folder, Fd index) : folder_(std::move(folder)), index_(std::move(index)) {}

  std::filesystem::path folder_;
  Fd index_;
  uint64_t end_ = 0;
};

// Cuts a file of lines behind its last newline; answers with the length that is left.
uint64_t drop_partial_line(const Fd& file, const std::filesystem::path& path);

}  // namespace kbx
