// SPDX-License-Identifier: Apache-2.0
#include "kbx/input/numbering.h"

#include <cstring>
#include <vector>

#include "kbx/base/sha256.h"

namespace kbx {

Numbering::Key Numbering::key_of(std::string_view text) {
  const Sha256 digest = sha256(text);
  Key key;
  std::memcpy(&key.high, digest.data(), sizeof key.high);
  std::memcpy(&key.low, digest.data() + sizeof key.high, sizeof key.low);
  return key;
}

uint32_t Numbering::file_number(const std::string& file) {
  if (files_.empty() || files_.back() != file) files_.push_back(file);
  return static_cast<uint32_t>(files_.size() - 1);
}

std::string Numbering::where(const Earlier& earlier) const {
  return files_[earlier.file] + ':' + std::to_string(earlier.line);
}

std::optional<std::string> Numbering::place(Submission& submission) {
  const Earlier here = {key_of(submission.code), file_number(submission.file), submission.line};
  const std::string group = submission.task + '\n' + submission.method + '\n' + std::to_string(submission.round);
  if (!submission.sample) {
    const std::string code_in_group = group + '\n' + submission.code;
    const auto [earlier, is_new] = without_sample_.try_emplace(key_of(code_in_group), here);
    if (!is_new) return "the same code as " + where(earlier->second);
    int64_t& next = next_[key_of(group)];
    do {
      submission.sample = next++;
    } while (by_id_.contains(key_of(submission.id())));
  }
  const auto [earlier, is_new] = by_id_.try_emplace(key_of(submission.id()), here);
  if (is_new) return std::nullopt;
  const char* what =
      earlier->second.code == here.code ? "the same code and sample as " : "other code for the sample of ";
  return what + where(earlier->second);
}

}  // namespace kbx
