// SPDX-License-Identifier: Apache-2.0
// What may stand behind --device, --target and --stages.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kbx {

// "cpu", or "cuda:0", "cuda:1": one judge each. "auto" is cuda:0 where the driver shows a GPU, else cpu.
// Throws Error(kUsage).
std::vector<std::string> parse_devices(const std::string& text, bool gpu_present);
bool gpu_present();

// Targets of Triton's compiler, "sm_90,gfx942". Throws Error(kUsage).
std::vector<std::string> parse_targets(const std::string& text);

// "call,exe". Throws Error(kUsage).
std::vector<std::string> parse_stages(const std::string& text);

// kbx-judge beside this program; KBX_JUDGE names another one for tests.
std::filesystem::path judge_program();

}  // namespace kbx
