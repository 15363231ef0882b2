// SPDX-License-Identifier: Apache-2.0
#include "kbx/input/lines.h"

#include <poll.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace kbx {
namespace {

constexpr size_t kReadBytes = 64u << 10;
constexpr size_t kUnpackBytes = 256u << 10;  // at a time, so that a small file cannot fill the memory

}  // namespace

struct LineReader::Unpacker {
  z_stream stream{};
  bool member_ended = false;

  Unpacker() {
    constexpr int kGzipOnly = 15 + 16;
    inflateInit2(&stream, kGzipOnly);
  }
  ~Unpacker() { inflateEnd(&stream); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
};

LineReader::LineReader(Fd fd) : fd_(std::move(fd)) {}
LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

bool LineReader::ready() const {
  if (ended_ || !raw_.empty()) return true;
  pollfd waiting = {fd_.get(), POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

bool LineReader::read_raw() {
  const size_t before = raw_.size();
  raw_.resize(before + kReadBytes);
  ssize_t count = 0;
  do {
    count = ::read(fd_.get(), raw_.data() + before, kReadBytes);
  } while (count < 0 && errno == EINTR);
  if (count < 0) error_ = std::strerror(errno);
  raw_.resize(before + static_cast<size_t>(count < 0 ? 0 : count));
  return count > 0;
}

bool LineReader::fill() {
  if (ended_) return false;
  const bool more = raw_.empty() || !format_known_ ? read_raw() : true;
  if (!format_known_ && (raw_.size() >= 2 || !more)) {
    format_known_ = true;
    if (raw_.starts_with("\x1f\x8b")) unpacker_ = std::make_unique<Unpacker>();
  }
  bool produced = false;
  if (format_known_ && unpacker_) {
    produced = unpack();
    if (!more && !produced && !unpacker_->member_ended && error_.empty()) error_ = "the gzip data ends early";
  } else if (format_known_) {
    buffer_ += raw_;
    raw_.clear();
  }
  ended_ = (!more && !produced && raw_.empty()) || !error_.empty();
  return !ended_;
}

// Returns whether there was anything: the unpacker may hold output back when all input is read.
bool LineReader::unpack() {
  z_stream& stream = unpacker_->stream;
  std::string out(kUnpackBytes, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(raw_.data());
  stream.avail_in = static_cast<uInt>(raw_.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  while (error_.empty() && (stream.avail_in > 0 || !unpacker_->member_ended) && stream.avail_out > 0) {
    if (unpacker_->member_ended) inflateReset(&stream);  // members may follow one another
    const int status = inflate(&stream, Z_NO_FLUSH);
    unpacker_->member_ended = status == Z_STREAM_END;
    if (status == Z_BUF_ERROR) break;  // no input left
    if (status != Z_OK && status != Z_STREAM_END) error_ = "the gzip data is damaged";
  }
  raw_.erase(0, raw_.size() - stream.avail_in);
  const size_t count = out.size() - stream.avail_out;
  buffer_.append(out, 0, count);
  return count > 0;
}

std::optional<Line> LineReader::take() {
  const size_t newline = buffer_.find('\n', searched_);
  const size_t end = newline == std::string::npos ? buffer_.size() : newline;
  const bool too_long = skipping_ || end - taken_ > kMaxLineBytes;
  if (newline == std::string::npos && (!ended_ || (end == taken_ && !skipping_))) {
    // Nothing whole yet: keep the start of the line, or the knowledge that it is too long.
    skipping_ = too_long;
    buffer_.erase(0, too_long ? end : taken_);
    searched_ = buffer_.size();
    taken_ = 0;
    return std::nullopt;
  }
  Line line = {++number_, "", too_long};
  if (!too_long) line.text = buffer_.substr(taken_, end - taken_);
  if (line.text.ends_with('\r')) line.text.pop_back();
  skipping_ = false;
  taken_ = searched_ = newline == std::string::npos ? buffer_.size() : newline + 1;
  return line;
}

}  // namespace kbx
