// SPDX-License-Identifier: Apache-2.0
// Small files of a run, written so that a reader never sees half of one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "kbx/base/fd.h"

namespace kbx {

// Throws Error(kEnvironment), naming the path and the cause; so do the others here.
Fd open_file(const std::filesystem::path& path, int flags, unsigned mode = 0644);
void write_all(const Fd& file, std::string_view bytes, const std::filesystem::path& path);
// Writes beside the path and renames.
void replace_file(const std::filesystem::path& path, std::string_view bytes, unsigned mode = 0644);
std::string read_file(const std::filesystem::path& path);

}  // namespace kbx
