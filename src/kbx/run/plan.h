// SPDX-License-Identifier: Apache-2.0
// What is to be evaluated: the submissions of the input that fall into this shard and have no record yet. All that was
// read lies in the run folder; here a waiting submission costs eight bytes, so that 100,000 may be queued.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "kbx/input/reader.h"
#include "kbx/store/submissions.h"

namespace kbx {

// Every count-th submission, from the index-th on (1 to count).
struct Shard {
  int64_t index = 1;
  int64_t count = 1;

  bool holds(int64_t ordinal) const { return ordinal % count == index - 1; }
};

// "2/4". Throws Error(kUsage).
Shard parse_shard(std::string_view text);

class Plan {
 public:
  Plan(Reader reader, SubmissionStore store, Shard shard);

  // Takes up a run that was left: what its index holds and results.jsonl does not is queued again, and input that it
  // holds already is not taken twice.
  void take_up(const std::filesystem::path& results);

  // Reads on, without waiting, at most so many submissions and problems. Answers whether there may be more at once.
  bool read(size_t at_most, const std::function<void(const Problem&)>& on_problem);
  bool ended() const { return reader_.ended(); }
  int waiting_on() const { return reader_.waiting_on(); }

  std::optional<uint64_t> take();
  size_t waiting() const { return queue_.size(); }
  // Submissions of this run so far, those with a record among them.
  int64_t total() const { return total_; }
  StoredSubmission at(uint64_t key) const { return store_.at(key); }

 private:
  std::optional<std::string> add(const Submission& submission);

  Reader reader_;
  SubmissionStore store_;
  Shard shard_;
  std::deque<uint64_t> queue_;
  std::unordered_map<std::string, std::string> taken_up_;  // id to hash of the code; empty in a new run
  int64_t read_ = 0;
  int64_t total_ = 0;
};

}  // namespace kbx
