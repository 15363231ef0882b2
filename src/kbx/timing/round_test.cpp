// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/round.h"

#include <gtest/gtest.h>

#include "kbx/timing/fake_device.h"

namespace kbx::timing {
namespace {

FakeGpu exact_gpu() {
  FakeGpu gpu;
  gpu.noise_share = gpu.outlier_share = 0;
  return gpu;
}

uint64_t cycles(const FakeGpu& gpu, double us) {
  return static_cast<uint64_t>(us * gpu.mhz);
}

TEST(RunRound, ReadsTheKernelsLengthHoweverLongTheHostTakes) {
  // The whole point of the spin: 100 us of Python in the call do not lengthen a kernel of 10 us.
  for (const double python : {0.0, 10.0, 100.0}) {
    FakeGpu gpu = exact_gpu();
    FakeDevice device(gpu);
    FakeWork work(device, {.kernel_us = 10, .python_us = python});
    const auto result = run_round(device, gpu, work, {.inputs = {0, 1, 0, 1}, .spin_cycles = cycles(gpu, 200)});
    ASSERT_EQ(result.samples.size(), 4u);
    for (const Sample& s : result.samples) {
      EXPECT_FALSE(s.exposed);
      EXPECT_NEAR(s.call_us, 10 + gpu.event_us, gpu.quantum_us);
      EXPECT_NEAR(s.spin_us, 200 + gpu.event_us, gpu.quantum_us);
      EXPECT_NEAR(s.flush_us, gpu.flush_us, 1);
      EXPECT_GT(s.host_us, python);
    }
  }
}

TEST(RunRound, AShortSpinIsSeenNotToCover) {
  FakeGpu gpu = exact_gpu();
  FakeDevice device(gpu);
  FakeWork work(device, {.kernel_us = 10, .python_us = 100});
  const auto result = run_round(device, gpu, work, {.inputs = {0, 1}, .spin_cycles = cycles(gpu, 20)});
  for (const Sample& s : result.samples) {
    EXPECT_TRUE(s.exposed);
    EXPECT_GT(s.call_us, 50);  // the launch is in it: what the proof of cover keeps out of the result
  }
}

TEST(RunRound, ACallThatWaitsForTheDeviceDoesNotHang) {
  FakeGpu gpu = exact_gpu();
  FakeDevice device(gpu);
  FakeWork work(device, {.kernel_us = 10, .synchronizes = true});
  const auto result = run_round(device, gpu, work, {.inputs = {0, 1}, .spin_cycles = cycles(gpu, 500)});
  for (const Sample& s : result.samples) EXPECT_TRUE(s.exposed);
}

TEST(RunRound, FlushesAsOftenAsAsked) {
  FakeGpu gpu = exact_gpu();
  FakeDevice device(gpu);
  FakeWork work(device, {});
  const auto once = run_round(device, gpu, work, {.inputs = {0}, .spin_cycles = 1000});
  const auto thrice = run_round(device, gpu, work, {.inputs = {0}, .spin_cycles = 1000, .flushes = 3});
  EXPECT_NEAR(thrice.samples[0].flush_us, 3 * once.samples[0].flush_us, 5);
}

TEST(RunRound, EveryResultIsKeptInItsSlotBeforeTheNextCall) {
  FakeGpu gpu = exact_gpu();
  FakeDevice device(gpu);
  FakeWork work(device, {});
  (void)run_round(device, gpu, work, {.inputs = {2, 0, 1}, .spin_cycles = 1000});
  EXPECT_EQ(work.kept(), (std::vector<int>{2, 0, 1}));
}

TEST(RunRound, IsolatedCallsTellWhatGoesOnBesideTheStream) {
  FakeGpu gpu = exact_gpu();
  FakeDevice device(gpu);
  const RoundSpec spec{.kind = RoundSpec::Kind::kIsolated, .inputs = {0, 1}};
  FakeWork honest(device, {.kernel_us = 300});
  for (const Isolated& one : run_round(device, gpu, honest, spec).isolated) {
    EXPECT_GE(one.end_to_end_us, one.call_us);
    EXPECT_LT(one.lag_us, 10);
  }
  FakeWork aside(device, {.kernel_us = 300}, Cheat::kSideStream);
  for (const Isolated& one : run_round(device, gpu, aside, spec).isolated) {
    EXPECT_LT(one.call_us, 20);
    EXPECT_GT(one.lag_us, 250);
  }
}

TEST(RunRound, AnEmptyRoundHoldsNothing) {
  FakeGpu gpu = exact_gpu();
  FakeDevice device(gpu);
  FakeWork work(device, {});
  const auto result = run_round(device, gpu, work, {.kind = RoundSpec::Kind::kEmpty});
  EXPECT_TRUE(result.samples.empty());
  EXPECT_GT(result.wall_us, 0);
  EXPECT_LT(result.wall_us, 20);
}

}  // namespace
}  // namespace kbx::timing
