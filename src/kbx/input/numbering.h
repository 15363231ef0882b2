// SPDX-License-Identifier: Apache-2.0
// Gives every submission its place: one id, one code. Identical code under the same task, method, round and sample as
// an earlier line is refused, so is other code under a sample that an earlier line named; other code without a sample
// gets the next number. Remembers hashes only: some 200 bytes a submission.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "kbx/input/submission.h"

namespace kbx {

class Numbering {
 public:
  // Sets the sample. The reason, where the submission cannot be placed.
  std::optional<std::string> place(Submission& submission);

 private:
  // Half of a SHA-256: input is hostile, so chance collisions are not the only ones.
  struct Key {
    uint64_t high = 0, low = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const { return key.low; }
  };
  struct Earlier {
    Key code;
    uint32_t file = 0;
    int64_t line = 0;
  };

  static Key key_of(std::string_view text);
  std::string where(const Earlier& earlier) const;
  uint32_t file_number(const std::string& file);

  std::unordered_map<Key, Earlier, KeyHash> by_id_;
  std::unordered_map<Key, Earlier, KeyHash> without_sample_;  // by task, method, round and code
  std::unordered_map<Key, int64_t, KeyHash> next_;            // by task, method and round
  std::vector<std::string> files_;
};

}  // namespace kbx
