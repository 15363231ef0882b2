// SPDX-License-Identifier: Apache-2.0
// One end of a stream socket that carries frames. Reading waits until a deadline and never longer; a peer that writes
// half a frame and stops is a time-out, not a hang.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "kbx/base/fd.h"
#include "kbx/wire/message.h"

namespace kbx::wire {

using Clock = std::chrono::steady_clock;

enum class Arrival { kMessage, kTimeout, kClosed };

struct Received {
  Arrival arrival = Arrival::kTimeout;
  Message message = {};
};

class Channel {
 public:
  Channel() = default;
  // max_payload: bytes that a received frame may have.
  explicit Channel(Fd socket, size_t max_payload = 64u << 20) : socket_(std::move(socket)), max_payload_(max_payload) {}

  // Two connected ends.
  static std::pair<Fd, Fd> pair();

  // False when the peer has gone, or has not taken the frame by the deadline.
  // fds are sent as copies; the caller keeps its own.
  bool send(Type type, uint64_t nonce, const Json& payload, const std::vector<int>& fds = {},
            Clock::time_point deadline = Clock::time_point::max());

  // Throws ProtocolError on a malformed frame; the channel is not usable after that.
  Received receive(Clock::time_point deadline = Clock::time_point::max());

  int fd() const { return socket_.get(); }
  bool valid() const { return socket_.valid(); }
  void close() { socket_.reset(); }

 private:
  Arrival read_exactly(std::byte* to, size_t count, std::vector<Fd>* fds, Clock::time_point deadline);

  Fd socket_;
  size_t max_payload_ = 0;
};

}  // namespace kbx::wire
