// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/round_json.h"

#include <gtest/gtest.h>

#include <limits>

namespace kbx::timing {
namespace {

using Json = nlohmann::json;

const RoundSpec kSpec{.inputs = {3, 1, 2}, .untimed = 1, .spin_cycles = 123456, .flushes = 3};

RoundResult result_of_three() {
  RoundResult r{.samples = {}, .isolated = {}, .wall_us = 900, .cache_released = true};
  for (const double us : {10.0, 11.0, 12.0})
    r.samples.push_back({.call_us = us, .flush_us = 25, .spin_us = 50, .host_us = 12, .exposed = us > 11});
  return r;
}

TEST(RoundJson, SpecGoesThereAndBack) {
  for (const auto kind : {RoundSpec::Kind::kTimed, RoundSpec::Kind::kIsolated, RoundSpec::Kind::kEmpty}) {
    RoundSpec spec = kSpec;
    spec.kind = kind;
    const RoundSpec again = read_spec(Json::from_cbor(Json::to_cbor(to_json(spec))));
    EXPECT_EQ(again.kind, kind);
    EXPECT_EQ(again.inputs, spec.inputs);
    EXPECT_EQ(again.untimed, 1u);
    EXPECT_EQ(again.spin_cycles, 123456u);
    EXPECT_EQ(again.flushes, 3u);
  }
  EXPECT_THROW(read_spec(Json::object()), Json::exception);
}

TEST(RoundJson, ResultGoesThereAndBack) {
  const auto again = read_result(Json::from_cbor(Json::to_cbor(to_json(result_of_three()))), kSpec);
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json(*again), to_json(result_of_three()));
  EXPECT_TRUE(again->samples[2].exposed);

  RoundSpec isolated = kSpec;
  isolated.kind = RoundSpec::Kind::kIsolated;
  RoundResult single{
      .samples = {}, .isolated = {{1, 5, 2}, {1, 5, 2}, {1, 6, 3}}, .wall_us = 30, .cache_released = false};
  ASSERT_TRUE(read_result(to_json(single), isolated));
  EXPECT_EQ(read_result(to_json(single), isolated)->isolated[2].lag_us, 3);
}

TEST(RoundJson, WhatAGuestMayNotClaim) {
  const auto refused = [](const std::function<void(Json&)>& spoil) {
    Json json = to_json(result_of_three());
    spoil(json);
    return !read_result(json, kSpec);
  };
  EXPECT_FALSE(refused([](Json&) {}));
  EXPECT_TRUE(refused([](Json& j) { j["samples"][0][0] = -1; }));
  EXPECT_TRUE(refused([](Json& j) { j["samples"][0][0] = std::numeric_limits<double>::quiet_NaN(); }));
  EXPECT_TRUE(refused([](Json& j) { j["samples"][0][1] = 1e300; }));
  EXPECT_TRUE(refused([](Json& j) { j["samples"][0][2] = "fast"; }));
  EXPECT_TRUE(refused([](Json& j) { j["samples"][0][4] = 1; }));
  EXPECT_TRUE(refused([](Json& j) { j["samples"].erase(0); }));
  EXPECT_TRUE(refused([](Json& j) { j["samples"].push_back(j["samples"][0]); }));
  EXPECT_TRUE(refused([](Json& j) { j["samples"][0].push_back(1); }));
  EXPECT_TRUE(refused([](Json& j) { j["isolated"].push_back({1, 2, 3}); }));
  EXPECT_TRUE(refused([](Json& j) { j.erase("samples"); }));
  EXPECT_TRUE(refused([](Json& j) { j.erase("wall_us"); }));
  EXPECT_TRUE(refused([](Json& j) { j["cache_released"] = "yes"; }));
  EXPECT_TRUE(refused([](Json& j) { j = Json::array(); }));
}

}  // namespace
}  // namespace kbx::timing
