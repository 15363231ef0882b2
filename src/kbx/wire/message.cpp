// SPDX-License-Identifier: Apache-2.0
#include "kbx/wire/message.h"

#include <fmt/format.h>

#include <cstring>

namespace kbx::wire {
namespace {

// The library's decoder recurses once a level, so depth is limited while parsing, not after it. It builds the same
// value as json::from_cbor.
class DepthLimited : public nlohmann::detail::json_sax_dom_parser<Json> {
 public:
  using Base = nlohmann::detail::json_sax_dom_parser<Json>;
  explicit DepthLimited(Json& out) : Base(out, /*allow_exceptions=*/false) {}
  bool start_object(std::size_t n) { return ++depth_ <= kMaxDepth && Base::start_object(bounded(n)); }
  bool start_array(std::size_t n) { return ++depth_ <= kMaxDepth && Base::start_array(bounded(n)); }
  bool end_object() {
    --depth_;
    return Base::end_object();
  }
  bool end_array() {
    --depth_;
    return Base::end_array();
  }

 private:
  // A container may claim any size; the claim is only ever a hint to the base class, so it is not passed on.
  static std::size_t bounded(std::size_t) { return static_cast<std::size_t>(-1); }
  size_t depth_ = 0;
};

template <typename T>
void put(std::string& out, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<char>(static_cast<uint64_t>(value) >> (8 * i)));
}

template <typename T>
T get(std::span<const std::byte> in, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= static_cast<uint64_t>(in[at + i]) << (8 * i);
  return static_cast<T>(value);
}

}  // namespace

std::string encode_header(const Header& header) {
  std::string out;
  put<uint32_t>(out, kMagic);
  put<uint16_t>(out, kVersion);
  put<uint16_t>(out, static_cast<uint16_t>(header.type));
  put<uint64_t>(out, header.nonce);
  put<uint32_t>(out, header.payload_bytes);
  put<uint32_t>(out, 0);  // reserved
  return out;
}

Header decode_header(std::span<const std::byte> bytes, size_t max_payload) {
  if (bytes.size() != kHeaderBytes) throw ProtocolError("a frame's header is cut short");
  if (get<uint32_t>(bytes, 0) != kMagic) throw ProtocolError("not a frame: wrong magic");
  if (get<uint16_t>(bytes, 4) != kVersion)
    throw ProtocolError(fmt::format("frame of version {}, this program speaks {}", get<uint16_t>(bytes, 4), kVersion));
  Header header{.type = static_cast<Type>(get<uint16_t>(bytes, 6)),
                .nonce = get<uint64_t>(bytes, 8),
                .payload_bytes = get<uint32_t>(bytes, 16)};
  if (get<uint32_t>(bytes, 20) != 0) throw ProtocolError("a frame's reserved bytes are not zero");
  if (header.payload_bytes > max_payload)
    throw ProtocolError(fmt::format("a frame of {} bytes, {} are allowed", header.payload_bytes, max_payload));
  return header;
}

std::string encode_payload(const Json& payload) {
  std::string out;
  Json::to_cbor(payload, nlohmann::detail::output_adapter<char>(out));
  return out;
}

Json decode_payload(std::string_view bytes) {
  Json value;
  DepthLimited sax(value);
  const bool ok = Json::sax_parse(bytes.begin(), bytes.end(), &sax, Json::input_format_t::cbor, /*strict=*/true);
  if (!ok || sax.is_errored()) throw ProtocolError("a frame's payload is not valid");
  if (!value.is_object()) throw ProtocolError("a frame's payload is not an object");
  return value;
}

}  // namespace kbx::wire
