// SPDX-License-Identifier: Apache-2.0
#include "kbx/wire/channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

namespace kbx::wire {
namespace {

using std::chrono::milliseconds;

TEST(Channel, CarriesMessagesAndDescriptors) {
  auto [a, b] = Channel::pair();
  Channel left(std::move(a)), right(std::move(b));
  Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(left.send(Type::kMap, 7, {{"id", 3}}, {null.get(), null.get()}));
  ASSERT_TRUE(left.send(Type::kCall, 8, {{"x", 1}}));
  Received first = right.receive(Clock::now() + milliseconds(1000));
  ASSERT_EQ(first.arrival, Arrival::kMessage);
  EXPECT_EQ(first.message.type, Type::kMap);
  EXPECT_EQ(first.message.nonce, 7u);
  EXPECT_EQ(first.message.fds.size(), 2u);
  EXPECT_NE(::fcntl(first.message.fds[0].get(), F_GETFD) & FD_CLOEXEC, 0);
  Received second = right.receive(Clock::now() + milliseconds(1000));
  EXPECT_EQ(second.message.type, Type::kCall);
  EXPECT_TRUE(second.message.fds.empty());
}

TEST(Channel, CarriesMoreThanASocketHolds) {
  auto [a, b] = Channel::pair();
  Channel left(std::move(a)), right(std::move(b));
  const std::string code(5 << 20, 'x');
  std::thread sender([&] { EXPECT_TRUE(left.send(Type::kLoad, 1, {{"code", code}})); });
  const Received got = right.receive(Clock::now() + milliseconds(20000));
  sender.join();
  ASSERT_EQ(got.arrival, Arrival::kMessage);
  EXPECT_EQ(got.message.payload["code"].get<std::string>().size(), code.size());
}

TEST(Channel, EndsAtTheDeadlineWhenAFrameIsCutShort) {
  auto [a, b] = Channel::pair();
  Channel right(std::move(b));
  const std::string header = encode_header({.type = Type::kDone, .nonce = 1, .payload_bytes = 100});
  ASSERT_EQ(::send(a.get(), header.data(), header.size(), 0), static_cast<ssize_t>(header.size()));
  EXPECT_EQ(right.receive(Clock::now() + milliseconds(30)).arrival, Arrival::kTimeout);
}

TEST(Channel, TellsAClosedPeerFromABrokenFrame) {
  auto [a, b] = Channel::pair();
  Channel right(std::move(b));
  a.reset();
  EXPECT_EQ(right.receive(Clock::now() + milliseconds(30)).arrival, Arrival::kClosed);
  EXPECT_FALSE(right.send(Type::kCall, 1, {}));

  auto [c, d] = Channel::pair();
  Channel half(std::move(d));
  ASSERT_EQ(::send(c.get(), "kbx1", 4, 0), 4);
  c.reset();
  EXPECT_THROW(half.receive(Clock::now() + milliseconds(30)), ProtocolError);
}

TEST(Channel, RefusesGarbage) {
  auto [a, b] = Channel::pair();
  Channel right(std::move(b));
  const std::string garbage(64, 'g');
  ASSERT_EQ(::send(a.get(), garbage.data(), garbage.size(), 0), 64);
  EXPECT_THROW(right.receive(Clock::now() + milliseconds(30)), ProtocolError);
}

TEST(Channel, SendGivesUpAtTheDeadlineWhenNobodyReads) {
  auto [a, b] = Channel::pair();
  Channel left(std::move(a));
  const std::string big(8 << 20, 'x');
  EXPECT_FALSE(left.send(Type::kLoad, 1, {{"code", big}}, {}, Clock::now() + milliseconds(50)));
}

}  // namespace
}  // namespace kbx::wire
