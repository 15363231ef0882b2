// SPDX-License-Identifier: Apache-2.0
// The draws that a submission must not foresee: the order of inputs, of rounds and of sizes, and which outputs are
// checked. SHA-256 in counter mode over a secret, so the same secret gives the same measurement plan.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kbx/base/sha256.h"

namespace kbx::timing {

class Random {
 public:
  explicit Random(std::string secret) : secret_(std::move(secret)) {}

  uint64_t next();
  // Uniform in [0, n), n > 0. The bias of the remainder is below 2^-32 for n < 2^32.
  size_t below(size_t n) { return static_cast<size_t>(next() % n); }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::string secret_;
  uint64_t count_ = 0;
  Sha256 digest_{};
};

// Which of n results of a round are compared whole, drawn after the round is over: an eighth, at least two. Skipping a
// share f of the iterations stays unseen with (1 - f)^checked.
std::vector<size_t> picked_for_checking(Random& random, size_t n);

}  // namespace kbx::timing
