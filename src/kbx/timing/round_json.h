// SPDX-License-Identifier: Apache-2.0
// Rounds as they cross between judge and guest: payloads for the wire. What a guest answers is untrusted; decoding it
// is total.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "kbx/timing/round.h"

namespace kbx::timing {

// {"kind": "timed", "inputs": [...], "untimed": 1, "spin_cycles": ..., "flushes": 1}
nlohmann::json to_json(const RoundSpec& spec);
// In the guest. Throws nlohmann::json::exception on what the judge does not send.
RoundSpec read_spec(const nlohmann::json& json);

// {"samples": [[call, flush, spin, host, exposed], ...], "isolated": [[call, end to end, lag], ...], "wall_us": ...,
//  "cache_released": true}, times in microseconds.
nlohmann::json to_json(const RoundResult& result);
// In the judge. Absent for anything that is not an answer to this specification: another number of samples, times that
// are negative, not finite or longer than an hour.
std::optional<RoundResult> read_result(const nlohmann::json& json, const RoundSpec& spec);

}  // namespace kbx::timing
