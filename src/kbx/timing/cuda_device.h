// SPDX-License-Identifier: Apache-2.0
// The device of device.h on an NVIDIA card, and the transfers that calibration times. Needs a current context
// (cuda::use_device); works on the default stream, which is torch's.
#pragma once

#include <memory>
#include <vector>

#include "kbx/cuda/events.h"
#include "kbx/timing/calibration.h"
#include "kbx/timing/device.h"

namespace kbx::timing {

// Read leaves the cache full of foreign lines that are clean; write leaves it full of lines that have to be written
// back while the timed work runs (what most harnesses do).
enum class Flush { kRead, kWrite };
const char* name_of(Flush flush);

// The kernels of kernels.h, loaded into the current context.
class CudaKernels {
 public:
  explicit CudaKernels(int device);
  void nothing() const;
  void spin(uint64_t cycles) const;
  void wait_ns(uint64_t ns) const;
  // Whole units of 16 bytes.
  void read(uint64_t from, size_t bytes) const;
  void write(uint64_t to, size_t bytes, uint32_t seed) const;
  void copy(uint64_t to, uint64_t from, size_t bytes) const;

 private:
  void* module_;
  void* nothing_;
  void* spin_;
  void* wait_;
  void* read_;
  void* write_;
  void* copy_;
  unsigned blocks_;  // of a grid that fills the device
  cuda::PrivateMemory sink_{16};
};

class CudaDevice : public Device {
 public:
  // flush_bytes: of the buffer that a flush goes over; calibrate_flush finds it.
  CudaDevice(int device, size_t flush_bytes, Flush flush = Flush::kRead);

  void reserve(size_t marks) override;
  bool release_pinned_cache() override { return cuda::release_persisting_cache(); }
  void flush() override;
  void spin(uint64_t cycles) override { kernels_.spin(cycles); }
  void nothing() override { kernels_.nothing(); }
  void record(size_t mark) override { marks_.at(mark).record(); }
  bool reached(size_t mark) override { return marks_.at(mark).reached(); }
  void wait(size_t mark) override { marks_.at(mark).wait(); }
  void synchronize() override;
  double elapsed_us(size_t from, size_t to) override { return marks_.at(from).elapsed_us(marks_.at(to)); }

  size_t flush_bytes() const { return buffer_.bytes(); }
  const CudaKernels& kernels() const { return kernels_; }

 private:
  CudaKernels kernels_;
  Flush flush_;
  cuda::PrivateMemory buffer_;
  std::vector<cuda::Event> marks_;
};

// A transfer of this many bytes (moved, so a copy's buffers have half of it each), as a workload.
std::unique_ptr<Workload> cuda_transfer(const CudaKernels& kernels, Transfer kind, size_t bytes);

}  // namespace kbx::timing
