// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/hardware.h"

#include <gtest/gtest.h>

namespace kbx::timing {
namespace {

Throughput only(Unit unit, double tflops) {
  Throughput t{};
  t[static_cast<size_t>(unit)] = tflops;
  return t;
}

const Ceilings kCard{.read_gbps = 4500,
                     .write_gbps = 4200,
                     .copy_gbps = 4000,
                     .copy_by_bytes = {{1e5, 100}, {1e7, 2000}, {1e9, 4000}},
                     .tflops = only(Unit::kFp32, 50),
                     .launch_floor_us = 2,
                     .cache_bytes = 50e6};

TEST(Datasheet, TheMostParticularNameCounts) {
  EXPECT_EQ(datasheet_of("NVIDIA H200")->memory_gbps, 4800);
  EXPECT_EQ(datasheet_of("NVIDIA H20")->memory_gbps, 4000);  // no part of H200
  EXPECT_EQ(datasheet_of("NVIDIA H100 80GB HBM3")->memory_gbps, 3350);
  EXPECT_EQ(datasheet_of("NVIDIA H100 PCIe")->memory_gbps, 2000);
  EXPECT_EQ(datasheet_of("NVIDIA A100-SXM4-80GB")->memory_gbps, 2039);
  EXPECT_EQ(datasheet_of("NVIDIA A100-PCIE-40GB")->memory_gbps, 1555);
  EXPECT_EQ(datasheet_of("NVIDIA GeForce RTX 5090")->memory_gbps, 1792);
  EXPECT_FALSE(datasheet_of("NVIDIA GeForce GTX 1080"));
  EXPECT_FALSE(datasheet_of("NVIDIA L200"));
  EXPECT_FALSE(datasheet_of("NVIDIA GH200 480GB"));
  EXPECT_FALSE(datasheet_of(""));
}

TEST(Unit, NamesGoThereAndBack) {
  for (size_t i = 0; i < kUnits; ++i) {
    const auto unit = static_cast<Unit>(i);
    EXPECT_EQ(unit_named(name_of(unit)), unit);
  }
  EXPECT_FALSE(unit_named("fp4"));
}

TEST(Ceilings, CopyBetweenMeasuredSizes) {
  EXPECT_DOUBLE_EQ(*kCard.copy_gbps_at(1e7), 2000);
  EXPECT_DOUBLE_EQ(*kCard.copy_gbps_at(1e6), 1050);  // half way in the logarithm
  EXPECT_DOUBLE_EQ(*kCard.copy_gbps_at(10), 100);
  EXPECT_DOUBLE_EQ(*kCard.copy_gbps_at(1e12), 4000);
  EXPECT_FALSE(Ceilings{}.copy_gbps_at(1e6));
}

TEST(Floor, IsTheLargestOfThree) {
  const Floor memory = floor_of({.bytes_read = 2e9, .bytes_written = 2e9, .flops = 1e9}, kCard);
  EXPECT_EQ(memory.bound, Bound::kMemory);
  EXPECT_DOUBLE_EQ(memory.us, 1000);  // 4e9 bytes at 4000 GB/s
  const Floor arithmetic = floor_of({.bytes_read = 1e6, .flops = 5e12}, kCard);
  EXPECT_EQ(arithmetic.bound, Bound::kArithmetic);
  EXPECT_DOUBLE_EQ(arithmetic.us, 1e5);  // 5e12 at 50e12 a second
  const Floor latency = floor_of({.bytes_read = 1e3}, kCard);
  EXPECT_EQ(latency.bound, Bound::kLatency);
  EXPECT_DOUBLE_EQ(latency.us, 2);
}

TEST(StrictFloor, DoubtsAreInTheProgramsFavour) {
  // 2e9 bytes read at 4500 GB/s; of the writes 50 MB may stay in the cache.
  EXPECT_DOUBLE_EQ(strict_floor_us({.bytes_read = 2e9, .bytes_written = 1e9}, kCard, {}), (3e9 - 50e6) / 4500 * 1e-3);
  EXPECT_DOUBLE_EQ(strict_floor_us({.bytes_read = 9e6, .bytes_written = 10e6}, kCard, {}), 9e6 / 4500 * 1e-3);
  EXPECT_DOUBLE_EQ(strict_floor_us({}, kCard, {}), 1.6);
  // A float32 product made of TF32 ones beats the ordinary unit, and may.
  const WorkDone product{.flops = 1e12, .matrix_flops = 1e12, .matrix_unit = Unit::kFp32};
  const auto h200 = datasheet_of("NVIDIA H200");
  EXPECT_NEAR(strict_floor_us(product, kCard, h200), 1e12 / (494.7 / 3) * 1e-6, 1e-6);
  EXPECT_NEAR(strict_floor_us(product, kCard, {}), 1e12 / 50 * 1e-6, 1e-6);
  const WorkDone half{.flops = 1e12, .matrix_flops = 1e12, .matrix_unit = Unit::kFp16};
  EXPECT_NEAR(strict_floor_us(half, kCard, datasheet_of("NVIDIA GeForce RTX 4090")), 1e12 / (2 * 165.2) * 1e-6, 1e-6);
  EXPECT_LT(strict_floor_us(product, kCard, h200), floor_of(product, kCard).us);
}

TEST(Efficiency, OfACopyAtTheCeiling) {
  const WorkDone copy{.bytes_read = 2e9, .bytes_written = 2e9, .flops = 1e9};
  const Efficiency e = efficiency_of(copy, 1000, 2000, kCard, datasheet_of("NVIDIA H200"));
  EXPECT_DOUBLE_EQ(e.gbps, 4000);
  EXPECT_DOUBLE_EQ(e.tflops, 1);
  EXPECT_DOUBLE_EQ(*e.of_copy, 1);
  EXPECT_DOUBLE_EQ(*e.of_same_size_copy, 1);
  EXPECT_DOUBLE_EQ(*e.of_throughput, 1.0 / 50);
  EXPECT_DOUBLE_EQ(*e.of_datasheet_memory, 4000.0 / 4800);
  EXPECT_DOUBLE_EQ(*e.published_use, 4000.0 / 4800);
  EXPECT_DOUBLE_EQ(e.time_over_floor, 1);
  EXPECT_DOUBLE_EQ(*e.speed_of_light, 1);
  EXPECT_FALSE(e.impossible);
}

TEST(Efficiency, SpeedOfLightIsHalfAtTheBaseline) {
  const WorkDone copy{.bytes_read = 2e9, .bytes_written = 2e9};
  const auto score = [&](double us, std::optional<double> base) {
    return efficiency_of(copy, us, base, kCard, {}).speed_of_light;
  };
  EXPECT_DOUBLE_EQ(*score(2000, 2000), 0.5);
  EXPECT_DOUBLE_EQ(*score(3000, 2000), 1.0 / 3);
  EXPECT_DOUBLE_EQ(*score(900, 2000), 1);  // never above one
  EXPECT_FALSE(score(1000, 1000));         // a baseline at the floor leaves nothing to score
  EXPECT_FALSE(score(1000, std::nullopt));
}

TEST(Efficiency, WhatTheHardwareDoesNotPermitIsFlagged) {
  const WorkDone read{.bytes_read = 4.5e9};  // 1000 us at 4500 GB/s
  EXPECT_TRUE(efficiency_of(read, 960, {}, kCard, {}).impossible);
  EXPECT_FALSE(efficiency_of(read, 980, {}, kCard, {}).impossible);
}

TEST(Efficiency, UnknownCeilingsGiveNoShares) {
  const Efficiency e = efficiency_of({.bytes_read = 1e6, .flops = 1e6}, 10, 20, {}, {});
  EXPECT_FALSE(e.of_copy || e.of_same_size_copy || e.of_throughput || e.published_use || e.speed_of_light);
  EXPECT_FALSE(e.impossible);
}

}  // namespace
}  // namespace kbx::timing
