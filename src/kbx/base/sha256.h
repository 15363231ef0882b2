// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4): names the code of submissions, and lets a run tell the hash of its seed before the seed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace kbx {

using Sha256 = std::array<uint8_t, 32>;

Sha256 sha256(std::string_view bytes);
std::string to_hex(const Sha256& digest);

}  // namespace kbx
