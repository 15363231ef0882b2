// SPDX-License-Identifier: Apache-2.0
// The few calls of the CUDA driver API that judge and guest need, found by dlopen: nothing links to CUDA, and one
// binary serves machines with and without a GPU. Shared memory is one VMM allocation a block, exported as a file
// descriptor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kbx/base/fd.h"

namespace kbx::cuda {

// A failed driver call: the call's name and the driver's own words. code: CUresult.
class DriverError : public std::exception {
 public:
  DriverError(const char* call, int code, std::string text);
  const char* what() const noexcept override { return message_.c_str(); }
  int code() const { return code_; }

 private:
  std::string message_;
  int code_;
};

// False, with the reason in why (when given), where there is no driver or no device.
bool available(std::string* why = nullptr);

struct DeviceInfo {
  std::string name;
  std::string uuid;
  int major = 0, minor = 0;  // compute capability
  size_t memory_bytes = 0;
  int driver_version = 0;  // 13000 for 13.0
};
int device_count();
DeviceInfo device_info(int device);

// Makes the device's primary context current for the calling thread; every call below needs that.
void use_device(int device);

// One allocation on the current device that another process can map: address here, descriptor for the other side.
struct SharedBlock {
  void* address = nullptr;
  size_t bytes = 0;  // rounded up to the allocation granularity (2 MiB)
  Fd fd;
};
SharedBlock allocate_block(size_t bytes);
void free_block(SharedBlock& block) noexcept;
// Maps a block that another process exported. bytes: the rounded size.
void* import_block(int fd, size_t bytes);

// Both return when the bytes are there for every process to see.
void copy_to_device(void* to, const void* from, size_t bytes);
void copy_from_device(void* to, const void* from, size_t bytes);
void synchronize();

// Kernels, for the guest's launcher.
struct Kernel {
  void* module = nullptr;
  void* function = nullptr;
  int registers = 0, spills = 0, max_threads = 0;
};
// image: a cubin. shared_bytes: dynamic shared memory that launches will ask for.
Kernel load_kernel(const char* name, const void* image, int shared_bytes);

struct Launch {
  unsigned grid[3] = {1, 1, 1};
  unsigned threads = 0;
  unsigned shared_bytes = 0;
  unsigned cluster = 1;  // blocks of a cluster
  bool cooperative = false;
  bool programmatic = false;  // programmatic dependent launch
  void* stream = nullptr;
};
void launch(void* function, const Launch& how, std::span<void*> arguments);

// A tensor map: how the copy engine of compute capability 9.0 and later walks a tensor in blocks. It is passed to a
// kernel by value.
struct alignas(64) TensorMap {
  unsigned char bytes[128] = {};
};
inline constexpr size_t kMaxTensorMapRank = 5;
// Outermost dimension first. The innermost is contiguous and has no stride.
struct Tiling {
  void* base = nullptr;
  int element_type = 0;                 // CUtensorMapDataType
  int swizzle = 0;                      // CUtensorMapSwizzle
  std::vector<uint64_t> shape;          // elements
  std::vector<uint64_t> strides_bytes;  // of all dimensions but the innermost
  std::vector<uint32_t> block;          // elements
  bool nan_outside = false;             // what lies outside of the shape reads as NaN, else as zero
};
TensorMap encode_tensor_map(const Tiling& tiling);

}  // namespace kbx::cuda
