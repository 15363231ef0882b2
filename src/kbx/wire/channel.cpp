// SPDX-License-Identifier: Apache-2.0
#include "kbx/wire/channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "kbx/base/error.h"

namespace kbx::wire {
namespace {

// Milliseconds for poll(): -1 for no limit, rounded up so that a deadline is never met early.
int poll_timeout_ms(Clock::time_point deadline) {
  if (deadline == Clock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1 << 30));
}

// True when the socket is ready for `events`, false at the deadline.
bool wait_for(int fd, short events, Clock::time_point deadline) {
  for (;;) {
    pollfd p{.fd = fd, .events = events, .revents = 0};
    const int n = ::poll(&p, 1, poll_timeout_ms(deadline));
    if (n > 0) return true;
    if (n == 0) return false;
    if (errno != EINTR) throw Error(ErrorKind::kEnvironment, fmt::format("poll: {}", std::strerror(errno)));
  }
}

void take_descriptors(msghdr& header, std::vector<Fd>& fds) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
      fds.emplace_back(fd);
    }
  }
  if (header.msg_flags & MSG_CTRUNC) throw ProtocolError("more file descriptors than a frame may carry");
}

}  // namespace

std::pair<Fd, Fd> Channel::pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error(ErrorKind::kEnvironment, fmt::format("socketpair: {}", std::strerror(errno)));
  return {Fd(ends[0]), Fd(ends[1])};
}

bool Channel::send(Type type, uint64_t nonce, const Json& payload, const std::vector<int>& fds,
                   Clock::time_point deadline) {
  if (fds.size() > kMaxDescriptors) throw ProtocolError("more file descriptors than a frame may carry");
  const std::string body = encode_payload(payload);
  std::string frame =
      encode_header({.type = type, .nonce = nonce, .payload_bytes = static_cast<uint32_t>(body.size())});
  frame += body;

  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control{};
  for (size_t sent = 0; sent < frame.size();) {
    if (!wait_for(socket_.get(), POLLOUT, deadline)) return false;
    iovec part{.iov_base = frame.data() + sent, .iov_len = frame.size() - sent};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (sent == 0 && !fds.empty()) {
      header.msg_control = control.data();
      header.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
      cmsghdr* c = CMSG_FIRSTHDR(&header);
      c->cmsg_level = SOL_SOCKET;
      c->cmsg_type = SCM_RIGHTS;
      c->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
      std::memcpy(CMSG_DATA(c), fds.data(), fds.size() * sizeof(int));
    }
    const ssize_t n = ::sendmsg(socket_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      sent += static_cast<size_t>(n);
    } else if (errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN) {
      return false;
    } else if (errno != EINTR && errno != EAGAIN) {
      throw Error(ErrorKind::kEnvironment, fmt::format("sendmsg: {}", std::strerror(errno)));
    }
  }
  return true;
}

Arrival Channel::read_exactly(std::byte* to, size_t count, std::vector<Fd>* fds, Clock::time_point deadline) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control{};
  for (size_t got = 0; got < count;) {
    if (!wait_for(socket_.get(), POLLIN, deadline)) return Arrival::kTimeout;
    iovec part{.iov_base = to + got, .iov_len = count - got};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    const ssize_t n = ::recvmsg(socket_.get(), &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0 && errno != ECONNRESET)
      throw Error(ErrorKind::kEnvironment, fmt::format("recvmsg: {}", std::strerror(errno)));
    if (n <= 0) {
      if (got > 0) throw ProtocolError("the peer closed in the middle of a frame");
      return Arrival::kClosed;
    }
    std::vector<Fd> arrived;
    take_descriptors(header, arrived);
    if (!arrived.empty() && (fds == nullptr || !fds->empty()))
      throw ProtocolError("file descriptors in the middle of a frame");
    if (!arrived.empty()) *fds = std::move(arrived);
    got += static_cast<size_t>(n);
  }
  return Arrival::kMessage;
}

Received Channel::receive(Clock::time_point deadline) {
  Received received;
  std::array<std::byte, kHeaderBytes> head{};
  received.arrival = read_exactly(head.data(), head.size(), &received.message.fds, deadline);
  if (received.arrival != Arrival::kMessage) return received;
  const Header header = decode_header(head, max_payload_);
  std::string body(header.payload_bytes, '\0');
  if (!body.empty()) {
    received.arrival = read_exactly(reinterpret_cast<std::byte*>(body.data()), body.size(), nullptr, deadline);
    if (received.arrival == Arrival::kClosed) throw ProtocolError("the peer closed in the middle of a frame");
    if (received.arrival != Arrival::kMessage) return received;
  }
  received.message.type = header.type;
  received.message.nonce = header.nonce;
  received.message.payload = decode_payload(body);
  return received;
}

}  // namespace kbx::wire
