// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/size_json.h"

#include <gtest/gtest.h>

#include <fstream>

#include "kbx/timing/fake_device.h"
#include "kbx/timing/size_timer.h"

namespace kbx::timing {
namespace {

using Json = nlohmann::json;

SizeTiming fake_measurement(Cheat cheat) {
  FakeGpu gpu;
  FakeDevice device(gpu);
  FakeWork work(device, {.kernel_us = 100});
  LocalSide base(device, gpu, work);
  FakeGuest cand(gpu, {.kernel_us = 50}, cheat);
  Random random("secret");
  const Instrument instrument{.null_us = 0.5, .quantum_us = 0.032, .mhz = 1980};
  SizeTimer timer("2^20", 5, standard_options(), instrument, gpu, random);
  for (size_t epoch = 0; !timer.done(); ++epoch) (void)timer.visit({.base = &base, .cand = &cand}, epoch);
  return timer.result();
}

Json json_of(const SizeTiming& timing) {
  Calibration calibration;
  calibration.ceilings = {.read_gbps = 4500, .copy_gbps = 4000, .launch_floor_us = 2};
  const auto checks = checks_of({.timing = timing, .quantum_us = 0.032});
  const auto efficiency =
      timing.samples[kCand]
          ? std::optional(efficiency_of({.bytes_read = 8e7, .bytes_written = 8e7}, timing.samples[kCand]->median, 100,
                                        calibration.ceilings, datasheet_of("NVIDIA H200")))
          : std::nullopt;
  return size_json(
      {.timing = timing, .checks = checks, .calibration = calibration, .flush = "read", .efficiency = efficiency});
}

TEST(SizeJson, HoldsWhatARecordKeeps) {
  const Json json = json_of(fake_measurement(Cheat::kNone));
  EXPECT_EQ(json["label"], "2^20");
  EXPECT_TRUE(json["timing_valid"]);
  EXPECT_TRUE(json["converged"]);
  EXPECT_EQ(json["speedup"]["verdict"], "faster");
  EXPECT_EQ(json["speedup"]["within_one_session"], false);
  EXPECT_NEAR(json["speedup"]["point"], 2, 0.02);
  EXPECT_LT(json["speedup"]["lo"], json["speedup"]["hi"]);
  EXPECT_NEAR(json["base_us"]["median"], 100.5, 1);
  EXPECT_EQ(json["verify"]["failed"], 0);
  EXPECT_TRUE(json["verify"]["poison_ok"]);
  EXPECT_EQ(json["checks"]["accounting"]["outcome"], "passed");
  EXPECT_NEAR(json["clocks"]["base"], 1980, 20);
  EXPECT_GT(json["eff"]["gbps"], 0);
  EXPECT_GT(json["e2e_us"]["cand"], 50);
}

TEST(SizeJson, ASuspectTimingHasNoVerdict) {
  const Json json = json_of(fake_measurement(Cheat::kElapsedTime));
  EXPECT_FALSE(json["timing_valid"]);
  EXPECT_EQ(json["speedup"]["verdict"], "no estimate");
  EXPECT_NE(json["speedup"]["reason"].get<std::string>().find("accounting"), std::string::npos);
  EXPECT_EQ(json["checks"]["accounting"]["ok"], false);
}

TEST(SizeJson, WhatWasNotMeasuredHasNoNumber) {
  SizeTiming nothing;
  nothing.label = "2^20";
  const Json json = json_of(nothing);
  EXPECT_FALSE(json["timing_valid"]);
  for (const char* key : {"speedup", "base_us", "cand_us", "speedup_cycles", "e2e_us", "exposed_pct", "eff"})
    EXPECT_FALSE(json.contains(key)) << key;
  EXPECT_FALSE(json["reason"].get<std::string>().empty());
}

// Every key is in the schema, at every level that the schema describes.
void expect_described(const Json& json, const Json& schema, const std::string& where) {
  if (!json.is_object() || !schema.contains("properties")) return;
  for (const auto& [key, value] : json.items()) {
    ASSERT_TRUE(schema["properties"].contains(key)) << where << "." << key << " is not in docs/schema/record.v1.json";
    expect_described(value, schema["properties"][key], where + "." + key);
  }
}

TEST(SizeJson, IsDescribedByTheSchema) {
  std::ifstream in(KBX_SOURCE_DIR "/docs/schema/record.v1.json");
  const Json schema = Json::parse(in);
  expect_described(json_of(fake_measurement(Cheat::kNone)), schema["$defs"]["size"], "size");

  Estimate e;
  e.speedup = e.base_us = e.cand_us = {2, 1.9, 2.1};
  const SizeOutcome one{.label = "s", .estimate = e};
  const Json task = task_json(task_speed(std::span(&one, 1)), 1);
  EXPECT_EQ(task["verdict"], "faster");
  expect_described(task, schema["properties"]["speedup"], "speedup");
  const Json none = task_json(task_speed({}), 0);
  EXPECT_FALSE(none.contains("point"));
  EXPECT_EQ(none["verdict"], "no estimate");
}

}  // namespace
}  // namespace kbx::timing
