// SPDX-License-Identifier: Apache-2.0
#include "kbx/judge/marshal.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <random>

namespace kbx {
namespace {

using wire::Json;

struct Rig {
  std::unique_ptr<Memory> memory = host_memory();
  BlockPool pool{*memory};
  Poison poison = Poison::random();
  Signature signature{"f(a, b, c=None, *, flag=False, size=None, dtype=None)"};
  Args args{&signature};
};

void poke(const Placed& placed, size_t offset) {
  std::byte value{};
  placed.lent.block->read(offset, {&value, 1});
  value ^= std::byte{0xff};
  placed.lent.block->write(offset, {&value, 1});
}

TEST(PlacedCall, WritesParametersAsACallHasThem) {
  Rig rig;
  rig.args.set("a", at::arange(6, at::kFloat).view({2, 3}));
  rig.args.set("b", 2.5);
  rig.args.set("flag", true);
  rig.args.set("size", ints({4, 5}));
  rig.args.set("dtype", at::kHalf);
  const PlacedCall call(rig.pool, rig.poison, rig.signature, rig.args);
  const Json& payload = call.payload();
  ASSERT_EQ(payload["args"].size(), 2u);
  const Json& tensor = payload["args"][0]["tensor"];
  EXPECT_EQ(tensor["dtype"], "float32");
  EXPECT_EQ(tensor["shape"], Json({2, 3}));
  EXPECT_EQ(tensor["strides"], Json({3, 1}));
  EXPECT_EQ(payload["args"][1], 2.5);
  EXPECT_EQ(payload["kwargs"]["flag"], true);
  EXPECT_EQ(payload["kwargs"]["size"], Json({{"tuple", {4, 5}}}));
  EXPECT_EQ(payload["kwargs"]["dtype"], Json({{"dtype", "float16"}}));
  EXPECT_FALSE(payload["kwargs"].contains("c")) << "what a case does not give is not passed";
}

TEST(PlacedCall, ATransposedTensorKeepsItsStridesAndComesBackEqual) {
  Rig rig;
  const at::Tensor a = at::randn({5, 7}).t();
  rig.args.set("a", a);
  rig.args.set("b", 1);
  const PlacedCall call(rig.pool, rig.poison, rig.signature, rig.args);
  EXPECT_EQ(call.payload()["args"][0]["tensor"]["strides"], Json({1, 7}));
  const Args now = call.arguments_now(rig.args);
  EXPECT_TRUE(now.tensor("a").equal(a));
  EXPECT_EQ(now.tensor("a").strides(), a.strides());
  EXPECT_FALSE(now.tensor("a").is_same(a)) << "a snapshot, not the original";
}

TEST(PlacedCall, TellsAChangedInputAndLetsALegalOnePass) {
  Rig rig;
  rig.args.set("a", at::zeros({4}));
  rig.args.set("b", Value(List{.items = {at::ones({3}), at::ones({2})}}));
  const PlacedCall call(rig.pool, rig.poison, rig.signature, rig.args);
  EXPECT_FALSE(call.mutated_input({}).has_value());
  ASSERT_EQ(call.inputs().size(), 3u);
  EXPECT_EQ(call.inputs()[2].name, "b[1]");
  poke(call.inputs()[2], call.inputs()[2].offset);
  EXPECT_EQ(call.mutated_input({}), "b");
  EXPECT_EQ(call.mutated_input({"a"}), "b");
  EXPECT_FALSE(call.mutated_input({"b"}).has_value());
  EXPECT_FALSE(call.stray_write().has_value());
}

TEST(PlacedCall, TellsAStrayWriteOnEitherSideAndInResults) {
  Rig rig;
  rig.args.set("a", at::zeros({5}));
  rig.args.set("b", at::zeros({5}));
  for (const bool before : {true, false}) {
    const PlacedCall call(rig.pool, rig.poison, rig.signature, rig.args);
    const Placed& b = call.inputs()[1];
    poke(b, before ? b.offset - 1 : b.offset + b.bytes);
    EXPECT_EQ(call.stray_write(), "b");
  }
  PlacedCall call(rig.pool, rig.poison, rig.signature, rig.args);
  const auto& slots = call.place_results({{.dtype = at::kInt, .shape = {3}}});
  poke(slots[0], slots[0].offset + 12);
  EXPECT_EQ(call.stray_write(), "result[0]");
}

TEST(PlacedCall, ResultsAreReadAsClaimed) {
  Rig rig;
  rig.args.set("a", 1);
  rig.args.set("b", 1);
  PlacedCall call(rig.pool, rig.poison, rig.signature, rig.args);
  const std::vector<TensorClaim> claims{{.dtype = at::kFloat, .shape = {2, 2}}, {.dtype = at::kLong, .shape = {0}}};
  const auto& slots = call.place_results(claims);
  const at::Tensor truth = at::randn({2, 2});
  slots[0].lent.block->write(slots[0].offset, {static_cast<const std::byte*>(truth.const_data_ptr()), 16});
  const auto results = call.results(claims);
  EXPECT_TRUE(results[0].equal(truth));
  EXPECT_EQ(results[1].numel(), 0);
}

TEST(PlacedCall, BlocksComeBackAtTheEnd) {
  Rig rig;
  rig.args.set("a", at::zeros({5}));
  rig.args.set("b", 1);
  int64_t id = -1;
  {
    const PlacedCall call(rig.pool, rig.poison, rig.signature, rig.args);
    id = call.inputs()[0].lent.id;
    EXPECT_TRUE(call.inputs()[0].lent.fresh);
  }
  const PlacedCall call(rig.pool, rig.poison, rig.signature, rig.args);
  EXPECT_EQ(call.inputs()[0].lent.id, id);
  EXPECT_FALSE(call.inputs()[0].lent.fresh);
}

Json claim(const char* dtype, std::vector<int64_t> shape) {
  return {{"tensor", {{"dtype", dtype}, {"shape", shape}, {"place", "cuda"}}}};
}

TEST(DecodeResult, OpensATupleAndKeepsTheOrderOfTensors) {
  const auto described =
      decode_result({{"tuple", {claim("float32", {2, 3}), {{"list", {1, claim("int64", {})}}}, nullptr}}});
  ASSERT_EQ(described.results.size(), 3u);
  ASSERT_EQ(described.claims.size(), 2u);
  EXPECT_EQ(described.claims[1].dtype, at::kLong);
  const Results filled = with_tensors(described.results, {at::ones({2, 3}), at::scalar_tensor(7)});
  EXPECT_EQ(filled[1].as<List>()->items[1].as<at::Tensor>()->item<int64_t>(), 7);
  EXPECT_TRUE(filled[2].none());
}

TEST(DecodeResult, RefusesWhatTheGuestsCodeDoesNotMake) {
  EXPECT_THROW(decode_result(claim("float33", {1})), wire::ProtocolError);
  EXPECT_THROW(decode_result(claim("float32", {-1})), wire::ProtocolError);
  EXPECT_THROW(decode_result(claim("float64", {int64_t{1} << 40, int64_t{1} << 40})), wire::ProtocolError);
  EXPECT_THROW(decode_result({{"tensor", 3}}), wire::ProtocolError);
  EXPECT_THROW(decode_result({{"no such kind", 3}}), wire::ProtocolError);
  EXPECT_THROW(decode_result(Json::array({1, 2})), wire::ProtocolError);
  Json deep = 1;
  for (int i = 0; i < 40; ++i) deep = {{"list", {deep}}};
  EXPECT_THROW(decode_result(deep), wire::ProtocolError);
}

}  // namespace
}  // namespace kbx
