// SPDX-License-Identifier: Apache-2.0
#include "kbx/run/plan.h"

#include <charconv>
#include <unordered_set>

#include "kbx/base/error.h"
#include "kbx/base/sha256.h"
#include "kbx/store/results.h"

namespace kbx {

Shard parse_shard(std::string_view text) {
  Shard shard;
  const char* end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  const bool slash = index.ec == std::errc() && index.ptr != end && *index.ptr == '/';
  const auto count = slash ? std::from_chars(index.ptr + 1, end, shard.count) : index;
  if (!slash || count.ec != std::errc() || count.ptr != end || shard.index < 1 || shard.index > shard.count)
    throw Error(ErrorKind::kUsage, "--shard " + std::string(text) + " is not I/N with I from 1 to N");
  return shard;
}

Plan::Plan(Reader reader, SubmissionStore store, Shard shard)
    : reader_(std::move(reader)), store_(std::move(store)), shard_(shard) {}

void Plan::take_up(const std::filesystem::path& results) {
  std::unordered_set<std::string> done;
  if (std::filesystem::exists(results)) for_each_record(results, [&](const Record& record) { done.insert(record.id); });
  store_.for_each([&](uint64_t key, const StoredSubmission& stored) {
    const std::string id = stored.submission.id();
    ++total_;
    if (!done.contains(id)) queue_.push_back(key);
    taken_up_.emplace(id, stored.sha256);
    return true;
  });
}

bool Plan::read(size_t at_most, const std::function<void(const Problem&)>& on_problem) {
  for (size_t i = 0; i < at_most; ++i) {
    auto item = reader_.next();
    if (!item) return false;
    if (const auto* submission = std::get_if<Submission>(&*item)) {
      const auto reason = add(*submission);
      if (reason) on_problem({submission->file, submission->line, *reason});
    } else {
      on_problem(std::get<Problem>(*item));
    }
  }
  return true;
}

std::optional<std::string> Plan::add(const Submission& submission) {
  if (!shard_.holds(read_++)) return std::nullopt;
  if (const auto at = taken_up_.find(submission.id()); at != taken_up_.end()) {
    const std::string hash = submission.code.empty() ? "" : to_hex(sha256(submission.code));
    if (at->second == hash) return std::nullopt;
    return "other code for " + submission.id() + " than this run began with";
  }
  queue_.push_back(store_.add(submission));
  ++total_;
  return std::nullopt;
}

std::optional<uint64_t> Plan::take() {
  if (queue_.empty()) return std::nullopt;
  const uint64_t key = queue_.front();
  queue_.pop_front();
  return key;
}

}  // namespace kbx
