// SPDX-License-Identifier: Apache-2.0
// What another program of the project prints: kbx itself links no torch, so some questions go to kbx-judge.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kbx {

// Standard output of the program; empty when it cannot be started. Its standard error is that of kbx.
std::string output_of(const std::filesystem::path& program, const std::vector<std::string>& arguments);

}  // namespace kbx
