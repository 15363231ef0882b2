// SPDX-License-Identifier: Apache-2.0
// Text for people: columns, emphasis, and what submissions and methods call themselves made safe for a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbx {

// Colour is for terminals, and not where NO_COLOR is set (no-color.org).
struct Style {
  bool color = false;

  std::string strong(std::string_view text) const { return paint("1", text); }
  std::string good(std::string_view text) const { return paint("32", text); }
  std::string bad(std::string_view text) const { return paint("31", text); }

 private:
  std::string paint(const char* code, std::string_view text) const;
};

// For output on this file descriptor.
Style style_for(int fd);

// Control characters as \x1b; line ends and tabs stay.
std::string shown(std::string_view text);
// The same in one line, cut.
std::string shown_in_line(std::string_view text, size_t most = 200);

// Rows of equal length in columns, two spaces apart; the first columns to the left, the others to the right.
std::string columns(const std::vector<std::vector<std::string>>& rows, size_t left_columns,
                    std::string_view indent = "");

// "77.8 %", or "-" of none.
std::string percent(int64_t count, int64_t total);
// "1 kernel", "2 kernels".
std::string counted(int64_t count, std::string_view noun);

}  // namespace kbx
