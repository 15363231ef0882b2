// SPDX-License-Identifier: Apache-2.0
// The state that a card is in, from NVIDIA's management library (libnvidia-ml, found by dlopen): what a record tells of
// the circumstances of a measurement. Nothing is ever set. Where there is no library, or it does not answer a question,
// the value is absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kbx::cuda {

struct CardState {
  std::optional<double> sm_mhz, memory_mhz;
  std::optional<double> celsius;
  std::optional<double> watts, watts_limit;
  std::optional<std::vector<std::string>> throttle_reasons;  // empty: none is active
  std::optional<std::vector<int>> processes;                 // that have a context on the card, this one too
};

// uuid: as DeviceInfo has it. reason: why nothing is known, when given and nothing is.
CardState card_state(const std::string& uuid, std::string* reason = nullptr);

// What holds the clock back just now, by itself: some microseconds to some hundred, cheap enough between rounds.
std::vector<std::string> throttle_reasons(const std::string& uuid);

// Bits of nvmlClocksEventReasons in words; an idle card and clocks that somebody set hold nothing back.
std::vector<std::string> reasons_named(uint64_t bits);

}  // namespace kbx::cuda
