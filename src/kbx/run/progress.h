// SPDX-License-Identifier: Apache-2.0
// How far a run is: one line that is rewritten on a terminal, plain lines now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace kbx {

struct ProgressState {
  int64_t done = 0;    // with a record, earlier parts of a resumed run included
  int64_t before = 0;  // of these, done before this command began
  int64_t passed = 0;  // all that was asked for, of those done in this command
  int64_t total = 0;
  bool total_known = false;  // not while lines still come from a pipe
  double seconds = 0;        // since this command began to evaluate
};

// "120/1,480 done, 31 passed, 2.4 a second, 9 min 27 s left"
std::string progress_text(const ProgressState& state);

class Progress {
 public:
  // stream: where to write, standard error.
  Progress(std::FILE* stream, bool terminal) : stream_(stream), terminal_(terminal) {}
  // Writes when it is time to.
  void update(const ProgressState& state);
  // Removes the line from a terminal, so that other text may follow.
  void clear();

 private:
  std::FILE* stream_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace kbx
