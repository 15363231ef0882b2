// SPDX-License-Identifier: Apache-2.0
// Compares what is printed with a file under tests/golden. To approve what is printed now: KBX_APPROVE=1 ctest.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace kbx {

inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(KBX_SOURCE_DIR "/tests/golden/") + name;
  if (std::getenv("KBX_APPROVE") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string approved{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, approved) << "differs from " << path << "; KBX_APPROVE=1 accepts what is printed now";
}

}  // namespace kbx
