// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kbx/base/error.h"
#include "kbx/timing/fake_device.h"

namespace kbx::timing {
namespace {

// A card that moves bytes at a rate which small transfers do not reach.
class FakeTransfer : public Workload {
 public:
  FakeTransfer(FakeDevice& device, double us) : device_(device), us_(us) {}
  void refill(size_t, size_t) override {}
  void call() override { device_.run(us_ * (1 + 0.005 * device_.gpu().gaussian())); }
  void keep(size_t) override {}

 private:
  FakeDevice& device_;
  double us_;
};

constexpr double kOverheadUs = 2, kFakeGbps[] = {0, 4500, 4200, 4000};

MakeTransfer on(FakeDevice& device) {
  return [&device](Transfer kind, size_t bytes) {
    const double gbps = kFakeGbps[static_cast<size_t>(kind)];
    return std::make_unique<FakeTransfer>(device,
                                          kOverheadUs + (gbps > 0 ? static_cast<double>(bytes) / gbps * 1e-3 : 0));
  };
}

TEST(Calibration, FindsTheInstrument) {
  FakeGpu gpu;
  FakeDevice device(gpu);
  const Instrument instrument = measure_instrument(device, 1500);
  EXPECT_NEAR(instrument.null_us, gpu.event_us, gpu.quantum_us);
  EXPECT_NEAR(instrument.mhz, 1980, 15);  // whatever it was told to begin with
}

TEST(Calibration, FindsTheCeilings) {
  FakeGpu gpu;
  FakeDevice device(gpu);
  const Instrument instrument = measure_instrument(device, 1980);
  const Ceilings c = measure_ceilings(device, gpu, on(device), instrument, size_t{1} << 30);
  EXPECT_NEAR(c.read_gbps, 4500, 60);
  EXPECT_NEAR(c.write_gbps, 4200, 60);
  EXPECT_NEAR(c.copy_gbps, 4000, 60);
  EXPECT_NEAR(c.launch_floor_us, kOverheadUs + gpu.event_us, 0.1);
  ASSERT_EQ(c.copy_by_bytes.size(), 11u);           // 2^32 does not fit
  EXPECT_LT(c.copy_by_bytes.begin()->second, 100);  // 64 KiB takes no longer than a launch
}

TEST(Calibration, MeasuresColdAndCovered) {
  FakeGpu gpu;
  FakeDevice device(gpu);
  FakeTransfer work(device, 50);
  EXPECT_NEAR(median_call_us(device, gpu, work, measure_instrument(device, 1980)), 50 + gpu.event_us, 0.3);
}

TEST(Calibration, LaunchesThatWereNotHiddenAreNotInIt) {
  FakeGpu gpu;
  FakeDevice device(gpu);
  const Instrument instrument = measure_instrument(device, 1980);
  gpu.hiccup_share = 0.85;
  gpu.hiccup_us = 3000;
  FakeTransfer work(device, 50);
  EXPECT_NEAR(median_call_us(device, gpu, work, instrument), 50 + gpu.event_us, 0.5);
}

TEST(CalibrateFlush, StopsWhereTheProbeNoLongerDependsOnIt) {
  // A cache of 60 MB: a flush of less leaves some of the probe's 8 MB in it.
  const auto probe = [](size_t flushed) {
    const double left = std::max(0.0, 1 - static_cast<double>(flushed) / 60e6);
    return 10 - 6 * left;
  };
  EXPECT_EQ(calibrate_flush(probe, 1 << 20, size_t{1} << 30), size_t{96} << 20);
  // One that never settles takes what there is.
  EXPECT_EQ(calibrate_flush([](size_t b) { return static_cast<double>(b); }, 1 << 20, 1 << 24), size_t{1} << 24);
}

TEST(Calibration, GoesThereAndBack) {
  Calibration c{.device = "NVIDIA H200",
                .uuid = "GPU-1",
                .driver = "13.0",
                .torch = "2.11.0",
                .ceilings = {},
                .null_us = 1.1,
                .quantum_us = 0.032,
                .mhz = 1980,
                .flush_bytes = 96 << 20};
  c.ceilings = {.read_gbps = 4500,
                .write_gbps = 4200,
                .copy_gbps = 4000,
                .copy_by_bytes = {{65536, 30}, {1e9, 4000}},
                .launch_floor_us = 2,
                .cache_bytes = 5e7};
  c.ceilings.tflops[static_cast<size_t>(Unit::kBf16)] = 788;
  const Calibration again = read_calibration(nlohmann::json::parse(to_json(c).dump()));
  EXPECT_EQ(to_json(again), to_json(c));
  EXPECT_EQ(again.ceilings.copy_by_bytes, c.ceilings.copy_by_bytes);
  EXPECT_EQ(again.ceilings.tflops, c.ceilings.tflops);
  EXPECT_TRUE(again.fits("GPU-1", "13.0"));
  EXPECT_FALSE(again.fits("GPU-2", "13.0"));
  EXPECT_FALSE(again.fits("GPU-1", "12.8"));
  EXPECT_THROW(read_calibration({{"kbx_calibration", 7}}), Error);
  EXPECT_THROW(read_calibration("text"), Error);
}

}  // namespace
}  // namespace kbx::timing
