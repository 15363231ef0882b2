// SPDX-License-Identifier: Apache-2.0
// The one wire format of the project: kbx, kbx-judge and the guest's extension all speak it. A frame is a fixed header
// and a CBOR payload; file descriptors travel beside the header. Decoding is total: any bytes give a message or a
// ProtocolError, in bounded memory and stack, because one side of the line runs untrusted code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kbx/base/fd.h"

namespace kbx::wire {

using Json = nlohmann::json;

inline constexpr uint32_t kMagic = 0x3178626b;  // "kbx1", little-endian
inline constexpr uint16_t kVersion = 1;
inline constexpr size_t kHeaderBytes = 24;
inline constexpr size_t kMaxDescriptors = 64;
inline constexpr size_t kMaxDepth = 64;  // of a payload; keeps the decoder's stack bounded

enum class Type : uint16_t {
  // kbx -> judge
  kConfigure = 1,
  kEvaluate = 2,
  kStop = 3,
  // judge -> kbx
  kReady = 10,
  kFailed = 11,
  kRecord = 12,
  kLog = 13,
  // judge -> zygote
  kFork = 20,
  kEnd = 21,
  // zygote -> judge
  kForked = 30,
  kEnded = 31,
  // judge -> guest
  kLoad = 40,
  kMap = 41,
  kCall = 42,
  kTake = 43,  // where to copy the results of the call just answered
  // guest -> judge
  kHello = 50,
  kLoaded = 51,
  kPhase = 52,
  kDone = 53,
  kRefused = 54,  // the submission failed: an exception, with its class and text
  kTaken = 55,
};

struct Message {
  Type type{};
  uint64_t nonce = 0;  // a reply carries the nonce of what it answers
  Json payload = Json::object();
  std::vector<Fd> fds = {};
};

class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Header {
  Type type{};
  uint64_t nonce = 0;
  uint32_t payload_bytes = 0;
};

std::string encode_header(const Header& header);
// bytes: kHeaderBytes of them. Throws ProtocolError when magic or version differ or the payload exceeds max_payload.
Header decode_header(std::span<const std::byte> bytes, size_t max_payload);

std::string encode_payload(const Json& payload);
// Throws ProtocolError on anything that is not one whole CBOR object of at most kMaxDepth levels.
Json decode_payload(std::string_view bytes);

}  // namespace kbx::wire
