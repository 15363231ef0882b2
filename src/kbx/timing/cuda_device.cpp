// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/cuda_device.h"

#include <algorithm>
#include <array>
#include <span>

#include "kbx/cuda/driver.h"
#include "kbx/timing/kernels.h"

namespace kbx::timing {
namespace {

constexpr unsigned kThreads = 256, kBlocksAProcessor = 8;  // 2048 threads, as many as a processor holds
constexpr size_t kUnitBytes = 16;

void launch_kernel(void* function, unsigned blocks, unsigned threads, std::span<void*> arguments) {
  cuda::Launch how;
  how.grid[0] = blocks;
  how.threads = threads;
  cuda::launch(function, how, arguments);
}

void* load_module() {
  return cuda::load_kernel("kbx_nothing", kKernelsPtx, 0).module;
}

class CudaTransfer : public Workload {
 public:
  CudaTransfer(const CudaKernels& kernels, Transfer kind, size_t bytes)
      : kernels_(kernels),
        kind_(kind),
        bytes_(kind == Transfer::kCopy ? bytes / 2 : bytes),
        from_(std::max(bytes_, kUnitBytes)),
        to_(kind == Transfer::kCopy ? std::max(bytes_, kUnitBytes) : kUnitBytes) {
    // Bits without a pattern: a card moves zeros with less power, so at higher clocks.
    kernels_.write(from_.address(), from_.bytes(), 1);
  }

  // Nothing is checked here, so nothing is refreshed: these are the judge's own kernels.
  void refill(size_t, size_t) override {}
  void keep(size_t) override {}
  void call() override {
    switch (kind_) {
      case Transfer::kNothing:
        return kernels_.nothing();
      case Transfer::kRead:
        return kernels_.read(from_.address(), bytes_);
      case Transfer::kWrite:
        return kernels_.write(from_.address(), bytes_, 2);
      case Transfer::kCopy:
        return kernels_.copy(to_.address(), from_.address(), bytes_);
    }
  }

 private:
  const CudaKernels& kernels_;
  Transfer kind_;
  size_t bytes_;  // of one buffer
  cuda::PrivateMemory from_, to_;
};

}  // namespace

const char* name_of(Flush flush) {
  return flush == Flush::kRead ? "read" : "write";
}

CudaKernels::CudaKernels(int device)
    : module_(load_module()),
      nothing_(cuda::function_in(module_, "kbx_nothing")),
      spin_(cuda::function_in(module_, "kbx_spin")),
      wait_(cuda::function_in(module_, "kbx_wait")),
      read_(cuda::function_in(module_, "kbx_read")),
      write_(cuda::function_in(module_, "kbx_write")),
      copy_(cuda::function_in(module_, "kbx_copy")),
      blocks_(static_cast<unsigned>(cuda::cache_info(device).multiprocessors) * kBlocksAProcessor) {}

void CudaKernels::nothing() const {
  launch_kernel(nothing_, 1, 1, {});
}

void CudaKernels::spin(uint64_t cycles) const {
  std::array<void*, 1> arguments{&cycles};
  launch_kernel(spin_, 1, 1, arguments);
}

void CudaKernels::wait_ns(uint64_t ns) const {
  std::array<void*, 1> arguments{&ns};
  launch_kernel(wait_, 1, 1, arguments);
}

void CudaKernels::read(uint64_t from, size_t bytes) const {
  uint64_t units = bytes / kUnitBytes, sink = sink_.address();
  std::array<void*, 3> arguments{&from, &units, &sink};
  launch_kernel(read_, blocks_, kThreads, arguments);
}

void CudaKernels::write(uint64_t to, size_t bytes, uint32_t seed) const {
  uint64_t units = bytes / kUnitBytes;
  std::array<void*, 3> arguments{&to, &units, &seed};
  launch_kernel(write_, blocks_, kThreads, arguments);
}

void CudaKernels::copy(uint64_t to, uint64_t from, size_t bytes) const {
  uint64_t units = bytes / kUnitBytes;
  std::array<void*, 3> arguments{&to, &from, &units};
  launch_kernel(copy_, blocks_, kThreads, arguments);
}

CudaDevice::CudaDevice(int device, size_t flush_bytes, Flush flush)
    : kernels_(device), flush_(flush), buffer_(std::max(flush_bytes, kUnitBytes)) {
  kernels_.write(buffer_.address(), buffer_.bytes(), 3);
  cuda::synchronize();
}

void CudaDevice::reserve(size_t marks) {
  while (marks_.size() < marks) {
    marks_.emplace_back();
    marks_.back().record();  // the driver makes some of an event at its first use
  }
}

void CudaDevice::flush() {
  if (flush_ == Flush::kRead)
    kernels_.read(buffer_.address(), buffer_.bytes());
  else
    kernels_.write(buffer_.address(), buffer_.bytes(), 4);
}

void CudaDevice::synchronize() {
  cuda::synchronize();
}

std::unique_ptr<Workload> cuda_transfer(const CudaKernels& kernels, Transfer kind, size_t bytes) {
  return std::make_unique<CudaTransfer>(kernels, kind, bytes);
}

}  // namespace kbx::timing
