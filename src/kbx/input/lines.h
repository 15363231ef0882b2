// SPDX-License-Identifier: Apache-2.0
// The lines of a file, a pipe or standard input, plain or gzip (told apart by their first bytes, not by name). Memory
// stays bounded whatever comes: a line longer than kMaxLineBytes is skipped and reported as such, and gzip data is
// unpacked a piece at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kbx/base/fd.h"

namespace kbx {

inline constexpr size_t kMaxLineBytes = 4u << 20;  // the longest real model output seen is below 0.1 MiB

struct Line {
  int64_t number = 0;
  std::string text;  // without its end
  bool too_long = false;
};

class LineReader {
 public:
  explicit LineReader(Fd fd);
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  // A whole line that is in memory. At the end also a last line that lacks its newline.
  std::optional<Line> take();
  // Whether fill() would find something at once.
  bool ready() const;
  // Reads more; waits where the descriptor makes it wait. False at the end of the data.
  bool fill();

  bool ended() const { return ended_; }
  int fd() const { return fd_.get(); }
  int64_t last_number() const { return number_; }
  // Why the data ended early; empty when it did not.
  const std::string& error() const { return error_; }

 private:
  struct Unpacker;

  bool read_raw();
  bool unpack();

  Fd fd_;
  std::string raw_;      // read, not yet unpacked; only while the format is open or the data is gzip
  std::string buffer_;   // unpacked, not yet taken
  size_t taken_ = 0;     // bytes of buffer_ that were taken
  size_t searched_ = 0;  // bytes of buffer_ that hold no newline
  int64_t number_ = 0;
  bool skipping_ = false;  // inside a line that is too long
  bool format_known_ = false;
  bool ended_ = false;
  std::string error_;
  std::unique_ptr<Unpacker> unpacker_;
};

}  // namespace kbx
