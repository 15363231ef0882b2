// SPDX-License-Identifier: Apache-2.0
#include "kbx/report/text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "kbx/record/json.h"

namespace kbx {
namespace {

// Columns that a terminal needs: code points, since names beyond ASCII are rare here and wide ones rarer.
size_t width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string Style::paint(const char* code, std::string_view text) const {
  return color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

Style style_for(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return {::isatty(fd) == 1 && !dumb && (no_color == nullptr || *no_color == '\0')};
}

std::string shown(std::string_view text) {
  std::string out;
  for (char c : as_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
    out += control ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return out;
}

std::string shown_in_line(std::string_view text, size_t most) {
  std::string line = shown(text.substr(0, most));
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line + (text.size() > most ? "..." : "");
}

std::string columns(const std::vector<std::vector<std::string>>& rows, size_t left_columns, std::string_view indent) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line(indent);
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - width(row[i]), ' ');
      line += (i > 0 ? "  " : "") + (i < left_columns ? row[i] + space : space + row[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::string percent(int64_t count, int64_t total) {
  return total == 0 ? "-" : fmt::format("{:.1f} %", 100.0 * static_cast<double>(count) / static_cast<double>(total));
}

std::string counted(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace kbx
