// SPDX-License-Identifier: Apache-2.0
#include "kbx/judge/marshal.h"

#include <ATen/Functions.h>
#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace kbx {
namespace {

using wire::Json;
using wire::ProtocolError;

// Room before the first element, so that a kernel's small negative offset meets poison; also the alignment that
// allocators on a GPU give, which Triton's specialisation on pointers divisible by 16 relies on.
constexpr size_t kFrontGuard = 512;
// Room behind the last element, at least. The block's rounding adds more.
constexpr size_t kTailGuard = 4096;
constexpr int kMaxDepth = 16;

// Bytes from a tensor's first element up to the end of its last one, by its strides.
size_t extent_bytes(const at::Tensor& tensor) {
  if (tensor.numel() == 0) return 0;
  int64_t last = 0;
  for (int64_t d = 0; d < tensor.dim(); ++d) last += (tensor.size(d) - 1) * tensor.stride(d);
  return static_cast<size_t>(last + 1) * tensor.itemsize();
}

std::span<const std::byte> bytes_at(const at::Tensor& tensor, size_t count) {
  return {static_cast<const std::byte*>(tensor.const_data_ptr()), count};
}

// Bytes that a contiguous tensor of this claim fills; nullopt when that overflows.
std::optional<size_t> bytes_of_claim(const TensorClaim& claim) {
  size_t bytes = c10::elementSize(claim.dtype);
  for (const int64_t n : claim.shape) {
    if (n < 0) return std::nullopt;
    if (n != 0 && bytes > std::numeric_limits<int64_t>::max() / static_cast<size_t>(n)) return std::nullopt;
    bytes *= static_cast<size_t>(n);
  }
  return bytes;
}

TensorClaim decode_claim(const Json& node) {
  TensorClaim claim;
  try {
    claim.dtype = dtype_named(node.at("dtype").get<std::string>());
    claim.shape = node.at("shape").get<std::vector<int64_t>>();
    claim.on_device = node.at("place") == "cuda";
  } catch (const std::exception& error) {
    throw ProtocolError(fmt::format("a result's description is not valid: {}", error.what()));
  }
  if (claim.shape.size() > 64 || !bytes_of_claim(claim)) throw ProtocolError("a result of impossible size");
  return claim;
}

Value decode(const Json& node, int depth, std::vector<TensorClaim>& claims) {
  if (depth > kMaxDepth) throw ProtocolError("a result nested too deeply");
  switch (node.type()) {
    case Json::value_t::null:
      return {};
    case Json::value_t::boolean:
      return node.get<bool>();
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return node.get<int64_t>();
    case Json::value_t::number_float:
      return node.get<double>();
    case Json::value_t::string:
      return node.get<std::string>();
    default:
      break;
  }
  if (!node.is_object() || node.size() != 1) throw ProtocolError("a result is not a tree of values");
  const std::string kind = node.begin().key();
  const Json inner = node.begin().value();
  if (kind == "tensor") {
    claims.push_back(decode_claim(inner));
    const TensorClaim& claim = claims.back();
    return at::empty(claim.shape, at::TensorOptions().dtype(claim.dtype).device(at::kMeta));
  }
  if (kind == "object" && inner.is_string()) return Dict{.items = {{"object", inner.get<std::string>()}}};
  if (kind == "dtype" && inner.is_string()) return "dtype " + inner.get<std::string>();
  if (kind == "complex" && inner.is_array() && inner.size() == 2 && inner[0].is_number() && inner[1].is_number())
    return std::complex<double>(inner[0].get<double>(), inner[1].get<double>());
  if ((kind == "list" || kind == "tuple") && inner.is_array()) {
    List list{.items = {}, .tuple = kind == "tuple"};
    for (const Json& item : inner) list.items.push_back(decode(item, depth + 1, claims));
    return list;
  }
  if (kind == "dict" && inner.is_array()) {
    Dict dict;
    for (const Json& pair : inner) {
      if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string()) throw ProtocolError("a dict of no pairs");
      dict.items.emplace_back(pair[0].get<std::string>(), decode(pair[1], depth + 1, claims));
    }
    return dict;
  }
  throw ProtocolError("a result is not a tree of values");
}

}  // namespace

Poison Poison::random() {
  Poison poison;
  // Blocking until the kernel's pool is ready; eight bytes never come short.
  while (::getrandom(poison.pattern.data(), poison.pattern.size(), 0) != static_cast<ssize_t>(poison.pattern.size())) {
  }
  return poison;
}

void Poison::fill(std::span<std::byte> bytes) const {
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = pattern[i % pattern.size()];
}

bool Poison::intact(std::span<const std::byte> bytes) const {
  for (size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != pattern[i % pattern.size()]) return false;
  return true;
}

PlacedCall::PlacedCall(BlockPool& pool, const Poison& poison, const Signature& signature, const Args& args)
    : pool_(pool), poison_(poison), payload_{{"args", Json::array()}, {"kwargs", Json::object()}} {
  for (const Parameter& parameter : signature.parameters()) {
    if (!args.given(parameter.name)) continue;
    const Value& value = args.at(parameter.name);
    if (parameter.variadic) {
      const auto* list = value.as<List>();
      for (const Value& item : list->items) payload_["args"].push_back(encode(parameter.name, item));
    } else if (parameter.fallback || parameter.keyword_only) {
      payload_["kwargs"][parameter.name] = encode(parameter.name, value);
    } else {
      payload_["args"].push_back(encode(parameter.name, value));
    }
  }
}

PlacedCall::~PlacedCall() {
  for (const auto* list : {&inputs_, &results_})
    for (const Placed& placed : *list) pool_.give_back(placed.lent.id);
}

Placed PlacedCall::place(const std::string& name, size_t bytes) {
  Placed placed{.name = name,
                .lent = pool_.take(kFrontGuard + bytes + kTailGuard),
                .offset = kFrontGuard,
                .bytes = bytes,
                .original = {}};
  std::vector<std::byte> poison(placed.lent.block->bytes());
  poison_.fill(poison);
  placed.lent.block->write(0, poison);
  return placed;
}

Json PlacedCall::encode(const std::string& name, const Value& value) {
  const auto items = [&](const std::vector<Value>& values) {
    Json out = Json::array();
    for (size_t i = 0; i < values.size(); ++i) out.push_back(encode(fmt::format("{}[{}]", name, i), values[i]));
    return out;
  };
  const auto tensor = [&](const at::Tensor& t) -> Json {
    Placed placed = place(name, extent_bytes(t));
    placed.original = t;
    placed.lent.block->write(placed.offset, bytes_at(t, placed.bytes));
    inputs_.push_back(placed);
    return {{"tensor",
             {{"block", placed.lent.id},
              {"offset", placed.offset},
              {"dtype", dtype_name(t.scalar_type())},
              {"shape", t.sizes().vec()},
              {"strides", t.strides().vec()},
              {"place", "cuda"}}}};
  };
  return std::visit(
      [&](const auto& v) -> Json {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate>)
          return nullptr;
        else if constexpr (std::is_same_v<T, std::complex<double>>)
          return {{"complex", {v.real(), v.imag()}}};
        else if constexpr (std::is_same_v<T, at::ScalarType>)
          return {{"dtype", dtype_name(v)}};
        else if constexpr (std::is_same_v<T, at::Layout>)
          return {{"layout", v == at::kStrided ? "strided" : "sparse_coo"}};
        else if constexpr (std::is_same_v<T, Place>)
          return {{"device", nullptr}};
        else if constexpr (std::is_same_v<T, GeneratorSeed>)
          return {{"generator", v.seed}};
        else if constexpr (std::is_same_v<T, at::Tensor>)
          return tensor(v);
        else if constexpr (std::is_same_v<T, List>)
          return {{v.tuple ? "tuple" : "list", items(v.items)}};
        else if constexpr (std::is_same_v<T, Dict>) {
          Json pairs = Json::array();
          for (const auto& [key, item] : v.items) pairs.push_back(Json::array({key, encode(name + "." + key, item)}));
          return {{"dict", pairs}};
        } else
          return Json(v);
      },
      value.node);
}

const std::vector<Placed>& PlacedCall::place_results(const std::vector<TensorClaim>& claims) {
  for (size_t i = 0; i < claims.size(); ++i)
    results_.push_back(place(fmt::format("result[{}]", i), bytes_of_claim(claims[i]).value()));
  return results_;
}

std::optional<std::string> PlacedCall::stray_write() const {
  for (const auto* list : {&inputs_, &results_})
    for (const Placed& placed : *list) {
      std::vector<std::byte> now(placed.lent.block->bytes());
      placed.lent.block->read(0, now);
      std::vector<std::byte> want(now.size());
      poison_.fill(want);
      const size_t end = placed.offset + placed.bytes;
      if (std::memcmp(now.data(), want.data(), placed.offset) != 0 ||
          std::memcmp(now.data() + end, want.data() + end, now.size() - end) != 0)
        return placed.name;
    }
  return std::nullopt;
}

std::optional<std::string> PlacedCall::mutated_input(const std::vector<std::string>& allowed) const {
  for (const Placed& placed : inputs_) {
    const std::string argument = placed.name.substr(0, placed.name.find_first_of("[."));
    if (std::find(allowed.begin(), allowed.end(), argument) != allowed.end()) continue;
    std::vector<std::byte> now(placed.bytes);
    placed.lent.block->read(placed.offset, now);
    if (!std::ranges::equal(now, bytes_at(placed.original, placed.bytes))) return argument;
  }
  return std::nullopt;
}

Args PlacedCall::arguments_now(const Args& args) const {
  return args.map_tensors([&](const at::Tensor& t) {
    const auto placed = std::ranges::find_if(inputs_, [&](const Placed& p) { return p.original.is_same(t); });
    if (placed == inputs_.end()) return t;  // an argument that no parameter takes
    at::Tensor copy = at::empty_strided(t.sizes(), t.strides(), t.options());
    placed->lent.block->read(placed->offset, {static_cast<std::byte*>(copy.mutable_data_ptr()), placed->bytes});
    return copy;
  });
}

std::vector<at::Tensor> PlacedCall::results(const std::vector<TensorClaim>& claims) const {
  std::vector<at::Tensor> out;
  for (size_t i = 0; i < claims.size(); ++i) {
    at::Tensor tensor = at::empty(claims[i].shape, claims[i].dtype);
    results_[i].lent.block->read(results_[i].offset,
                                 {static_cast<std::byte*>(tensor.mutable_data_ptr()), results_[i].bytes});
    out.push_back(std::move(tensor));
  }
  return out;
}

DescribedResult decode_result(const Json& tree) {
  DescribedResult described;
  Value value = decode(tree, 0, described.claims);
  if (auto* list = std::get_if<List>(&value.node))
    described.results = std::move(list->items);
  else
    described.results.push_back(std::move(value));
  return described;
}

Results with_tensors(const Results& results, const std::vector<at::Tensor>& tensors) {
  size_t next = 0;
  Results out;
  for (const Value& value : results)
    out.push_back(map_tensors(value, [&](const at::Tensor&) { return tensors.at(next++); }));
  return out;
}

}  // namespace kbx
