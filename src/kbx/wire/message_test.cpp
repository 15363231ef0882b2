// SPDX-License-Identifier: Apache-2.0
#include "kbx/wire/message.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace kbx::wire {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

TEST(Header, SurvivesTheRoundTrip) {
  const Header in{.type = Type::kDone, .nonce = 0xfedcba9876543210ULL, .payload_bytes = 1234};
  const std::string text = encode_header(in);
  ASSERT_EQ(text.size(), kHeaderBytes);
  const Header out = decode_header(bytes_of(text), 4096);
  EXPECT_EQ(out.type, in.type);
  EXPECT_EQ(out.nonce, in.nonce);
  EXPECT_EQ(out.payload_bytes, in.payload_bytes);
}

TEST(Header, RefusesWhatIsNotAFrame) {
  std::string text = encode_header({.type = Type::kDone, .nonce = 1, .payload_bytes = 10});
  EXPECT_THROW(decode_header(bytes_of(text), 9), ProtocolError) << "payload over the limit";
  for (const size_t at : {size_t{0}, size_t{4}, size_t{20}}) {  // magic, version, reserved
    std::string broken = text;
    broken[at] = static_cast<char>(broken[at] ^ 0x40);
    EXPECT_THROW(decode_header(bytes_of(broken), 4096), ProtocolError) << "byte " << at;
  }
  EXPECT_THROW(decode_header(bytes_of(text.substr(1)), 4096), ProtocolError);
}

TEST(Payload, CarriesEveryKindOfValue) {
  Json value{{"i", std::numeric_limits<int64_t>::min()},
             {"u", std::numeric_limits<uint64_t>::max()},
             {"d", 0.1},
             {"inf", std::numeric_limits<double>::infinity()},
             {"s", "grüße\n"},
             {"b", true},
             {"n", nullptr},
             {"l", Json::array({1, Json::array(), Json::object()})}};
  EXPECT_EQ(decode_payload(encode_payload(value)), value);
}

TEST(Payload, RefusesDeepNestingInsteadOfRecursing) {
  std::string arrays = "\xa1\x61x";  // {"x": [[[[...
  arrays.append(1 << 20, '\x81');
  EXPECT_THROW(decode_payload(arrays), ProtocolError);
  std::string objects;
  for (int i = 0; i < 1 << 18; ++i) objects += "\xa1\x61x";
  EXPECT_THROW(decode_payload(objects), ProtocolError);
}

TEST(Payload, RefusesHugeClaims) {
  EXPECT_THROW(decode_payload("\xa1\x61x\x9b\x7f\xff\xff\xff\xff\xff\xff\xff"), ProtocolError);  // array of 2^63
  EXPECT_THROW(decode_payload("\xa1\x61x\x7b\x7f\xff\xff\xff\xff\xff\xff\xff"), ProtocolError);  // string of 2^63
}

TEST(Payload, RefusesWhatIsNotAnObjectOrHasATail) {
  EXPECT_THROW(decode_payload(""), ProtocolError);
  EXPECT_THROW(decode_payload("\x01"), ProtocolError);
  EXPECT_THROW(decode_payload(std::string("\xa0\xa0", 2)), ProtocolError);
}

// A bounded, deterministic fuzz: random bytes, and valid frames with random damage. Decoding must end in a value or a
// ProtocolError.
TEST(Payload, FuzzedBytesNeverEscape) {
  std::mt19937_64 random(20260);
  const std::string valid = encode_payload(
      {{"result", Json::array({Json{{"dtype", "float32"}, {"shape", {3, 4}}}})}, {"launches", 3}, {"text", "ok"}});
  for (int round = 0; round < 20000; ++round) {
    std::string bytes;
    if (round % 2 == 0) {
      bytes.resize(random() % 64);
      for (char& c : bytes) c = static_cast<char>(random());
    } else {
      bytes = valid;
      for (int k = 0; k < 3; ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
      bytes.resize(random() % (bytes.size() + 1));
    }
    try {
      EXPECT_TRUE(decode_payload(bytes).is_object());
    } catch (const ProtocolError&) {
    }
  }
}

}  // namespace
}  // namespace kbx::wire
