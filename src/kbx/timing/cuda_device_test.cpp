// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/cuda_device.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "kbx/cuda/driver.h"
#include "kbx/timing/cuda_staging.h"
#include "kbx/timing/kernels.h"

namespace kbx::timing {
namespace {

#define SKIP_WITHOUT_A_CARD()                    \
  if (std::string why; !cuda::available(&why)) { \
    GTEST_SKIP() << "needs a GPU: " << why;      \
  }                                              \
  cuda::use_device(0)

// Without a card the text can still be assembled: by the assembler of the CUDA toolkit, or the one in Triton's wheel.
TEST(Kernels, Assemble) {
  const std::string ptxas = KBX_PTXAS;
  if (ptxas.empty()) GTEST_SKIP() << "no ptxas was found when this was configured";
  const auto folder = std::filesystem::temp_directory_path() / ("kbx_kernels_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const auto source = folder / "kernels.ptx";
  std::ofstream(source) << kKernelsPtx;
  for (const char* target : {"sm_80", "sm_90"}) {
    const std::string command =
        ptxas + " -arch=" + target + " -o " + (folder / "kernels.cubin").string() + " " + source.string();
    EXPECT_EQ(std::system(command.c_str()), 0) << target;
  }
  std::filesystem::remove_all(folder);
}

constexpr size_t kMega = size_t{1} << 20;

TEST(CudaDevice, TheSpinsLengthIsTheClocks) {
  SKIP_WITHOUT_A_CARD();
  CudaDevice device(0, 64 * kMega);
  const Instrument instrument = measure_instrument(device, cuda::cache_info(0).typical_mhz);
  EXPECT_GT(instrument.mhz, 100);
  EXPECT_LT(instrument.mhz, 4000);
  EXPECT_GT(instrument.null_us, 0);
  EXPECT_LT(instrument.null_us, 20);
  EXPECT_GT(instrument.quantum_us, 0);
}

TEST(CudaDevice, KnownDurationsAreRead) {
  SKIP_WITHOUT_A_CARD();
  CudaDevice device(0, 64 * kMega);
  SystemClock clock;
  const Instrument instrument = measure_instrument(device, cuda::cache_info(0).typical_mhz);
  struct Wait : Workload {
    Wait(const CudaKernels& k, uint64_t n) : kernels(k), ns(n) {}
    void refill(size_t, size_t) override {}
    void call() override { kernels.wait_ns(ns); }
    void keep(size_t) override {}
    const CudaKernels& kernels;
    uint64_t ns;
  };
  for (const double us : {50.0, 500.0}) {
    Wait work(device.kernels(), static_cast<uint64_t>(us * 1e3));
    // The wall clock of some cards steps by a microsecond, and a launch is in it.
    EXPECT_NEAR(median_call_us(device, clock, work, instrument), us, 5);
  }
}

TEST(CudaDevice, KernelsMoveWhatTheySay) {
  SKIP_WITHOUT_A_CARD();
  const CudaKernels kernels(0);
  // Not a multiple of anything, so that both loops of the copy are used.
  const size_t bytes = 16 * (3 * kMega + 7);
  const cuda::PrivateMemory from(bytes), to(bytes + 16);
  kernels.write(from.address(), bytes, 5);
  kernels.write(to.address(), bytes + 16, 6);
  cuda::synchronize();
  std::vector<uint32_t> source(bytes / 4), before(bytes / 4 + 4), after(bytes / 4 + 4);
  cuda::copy_from_device(source.data(), reinterpret_cast<void*>(from.address()), bytes);
  cuda::copy_from_device(before.data(), reinterpret_cast<void*>(to.address()), bytes + 16);
  kernels.copy(to.address(), from.address(), bytes);
  cuda::synchronize();
  cuda::copy_from_device(after.data(), reinterpret_cast<void*>(to.address()), bytes + 16);
  EXPECT_TRUE(std::equal(source.begin(), source.end(), after.begin()));
  EXPECT_TRUE(std::equal(after.end() - 4, after.end(), before.end() - 4));  // and nothing behind it
  size_t ones = 0;
  for (const uint32_t word : source) ones += static_cast<size_t>(__builtin_popcount(word));
  EXPECT_NEAR(static_cast<double>(ones) / static_cast<double>(32 * source.size()), 0.5, 0.01);
}

TEST(CudaDevice, ReadIsSlowerAfterAFlush) {
  SKIP_WITHOUT_A_CARD();
  CudaDevice device(0, 2 * std::max<size_t>(cuda::cache_info(0).l2_bytes, 32 * kMega));
  const auto probe = cuda_transfer(device.kernels(), Transfer::kRead, 8 * kMega);
  device.reserve(4);
  const auto read_us = [&](bool flushed) {
    std::vector<double> times;
    for (int i = 0; i < 9; ++i) {
      probe->call();
      if (flushed) device.flush();
      device.spin(200'000);
      device.record(0);
      probe->call();
      device.record(1);
      device.synchronize();
      times.push_back(device.elapsed_us(0, 1));
    }
    return median(times);
  };
  EXPECT_GT(read_us(true), 1.1 * read_us(false));
}

TEST(CudaStaging, GivesFreshContentAndPoisonsTheSlot) {
  SKIP_WITHOUT_A_CARD();
  const CudaKernels kernels(0);
  const cuda::PrivateMemory work(4096), first(4096), second(4096), slots(2 * 256);
  kernels.write(first.address(), 4096, 1);
  kernels.write(second.address(), 4096, 2);
  kernels.write(slots.address(), 2 * 256, 3);
  const CudaStaging staging({{work.address(), {first.address(), second.address()}, 4096}},
                            {{{slots.address(), slots.address() + 256}, 256}}, 0xFFFFFFFF);
  const auto words = [](uint64_t address, size_t n) {
    cuda::synchronize();
    std::vector<uint32_t> read(n);
    cuda::copy_from_device(read.data(), reinterpret_cast<void*>(address), 4 * n);
    return read;
  };
  const auto other_slot = words(slots.address(), 64);
  staging.refill(1, 1);
  EXPECT_EQ(words(work.address(), 1024), words(second.address(), 1024));
  EXPECT_EQ(words(slots.address() + 256, 64), std::vector<uint32_t>(64, 0xFFFFFFFF));
  EXPECT_EQ(words(slots.address(), 64), other_slot);
}

TEST(CudaDevice, AMarkBehindASpinIsNotYetReached) {
  SKIP_WITHOUT_A_CARD();
  CudaDevice device(0, kMega);
  device.reserve(1);
  device.synchronize();
  device.spin(20'000'000);
  device.record(0);
  EXPECT_FALSE(device.reached(0));
  device.wait(0);
  EXPECT_TRUE(device.reached(0));
}

}  // namespace
}  // namespace kbx::timing
