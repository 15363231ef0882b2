// SPDX-License-Identifier: Apache-2.0
// The calls of the CUDA driver API that timing needs beside those of driver.h: events, private memory, the cache. Found
// by dlopen as those are; driver.h's available() and use_device() come first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace kbx::cuda {

// A mark in a stream that keeps the time at which the device reached it. Stream: null is the default stream, torch's
// own.
class Event {
 public:
  Event();
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event();

  void record(void* stream = nullptr);
  bool reached() const;
  void wait() const;
  // Both have to be reached.
  double elapsed_us(const Event& to) const;

 private:
  void* event_ = nullptr;
};

// Memory of this process alone: nothing can be exported from it.
class PrivateMemory {
 public:
  explicit PrivateMemory(size_t bytes);
  PrivateMemory(const PrivateMemory&) = delete;
  PrivateMemory& operator=(const PrivateMemory&) = delete;
  ~PrivateMemory();
  uint64_t address() const { return address_; }
  size_t bytes() const { return bytes_; }

 private:
  uint64_t address_ = 0;
  size_t bytes_;
};

// Enqueued on the default stream. words: of 32 bits.
void copy_async(uint64_t to, uint64_t from, size_t bytes);
void fill_async(uint64_t to, uint32_t word, size_t words);

struct CacheInfo {
  int multiprocessors = 0;
  size_t l2_bytes = 0;
  double typical_mhz = 0;  // of the SMs
};
CacheInfo cache_info(int device);

// Another entry of a module that load_kernel loaded.
void* function_in(void* module, const char* name);

// No line of the L2 stays because an access policy asks for it, and none can from now on in this context. False where
// the driver refuses.
bool release_persisting_cache();

}  // namespace kbx::cuda
