// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/random.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace kbx::timing {

uint64_t Random::next() {
  constexpr uint64_t kWords = sizeof(Sha256) / sizeof(uint64_t);
  const uint64_t word = count_ % kWords;
  if (word == 0) digest_ = sha256(secret_ + "/timing/" + std::to_string(count_ / kWords));
  ++count_;
  uint64_t value = 0;
  std::memcpy(&value, digest_.data() + word * sizeof value, sizeof value);
  return value;
}

std::vector<size_t> picked_for_checking(Random& random, size_t n) {
  std::vector<size_t> slots(n);
  std::iota(slots.begin(), slots.end(), size_t{0});
  random.shuffle(slots);
  slots.resize(std::min(n, std::max<size_t>(2, (n + 7) / 8)));
  std::ranges::sort(slots);
  return slots;
}

}  // namespace kbx::timing
