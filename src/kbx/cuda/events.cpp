// SPDX-License-Identifier: Apache-2.0
// Types and constants are those of cuda.h (CUDA 12 and 13).
#include "kbx/cuda/events.h"

#include <dlfcn.h>

#include <string>
#include <type_traits>

#include "kbx/cuda/driver.h"

namespace kbx::cuda {
namespace {

constexpr int kNotReady = 600;                                   // CUDA_ERROR_NOT_READY
constexpr int kClockRate = 13, kProcessors = 16, kL2Bytes = 38;  // CU_DEVICE_ATTRIBUTE_*
constexpr int kPersistingLimit = 6;                              // CU_LIMIT_PERSISTING_L2_CACHE_SIZE

struct TimingApi {
  int (*cuGetErrorString)(int, const char**);
  int (*cuDeviceGet)(int*, int);
  int (*cuDeviceGetAttribute)(int*, int, int);
  int (*cuEventCreate)(void**, unsigned);
  int (*cuEventDestroy)(void*);
  int (*cuEventRecord)(void*, void*);
  int (*cuEventQuery)(void*);
  int (*cuEventSynchronize)(void*);
  int (*cuEventElapsedTime)(float*, void*, void*);
  int (*cuMemAlloc)(unsigned long long*, size_t);
  int (*cuMemFree)(unsigned long long);
  int (*cuMemcpyDtoDAsync)(unsigned long long, unsigned long long, size_t, void*);
  int (*cuMemsetD32Async)(unsigned long long, unsigned, size_t, void*);
  int (*cuModuleGetFunction)(void**, void*, const char*);
  int (*cuCtxSetLimit)(int, size_t);
  int (*cuCtxResetPersistingL2Cache)();

  TimingApi() {
    void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    const auto find = [&](auto& function, const char* name) {
      void* symbol = library != nullptr ? ::dlsym(library, name) : nullptr;
      if (symbol == nullptr) throw DriverError(name, 0, "the CUDA driver lacks it");
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
    };
    find(cuGetErrorString, "cuGetErrorString");
    find(cuDeviceGet, "cuDeviceGet");
    find(cuDeviceGetAttribute, "cuDeviceGetAttribute");
    find(cuEventCreate, "cuEventCreate");
    find(cuEventDestroy, "cuEventDestroy_v2");
    find(cuEventRecord, "cuEventRecord");
    find(cuEventQuery, "cuEventQuery");
    find(cuEventSynchronize, "cuEventSynchronize");
    find(cuEventElapsedTime, "cuEventElapsedTime");
    find(cuMemAlloc, "cuMemAlloc_v2");
    find(cuMemFree, "cuMemFree_v2");
    find(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2");
    find(cuMemsetD32Async, "cuMemsetD32Async");
    find(cuModuleGetFunction, "cuModuleGetFunction");
    find(cuCtxSetLimit, "cuCtxSetLimit");
    find(cuCtxResetPersistingL2Cache, "cuCtxResetPersistingL2Cache");
  }
};

const TimingApi& timing_api() {
  static const TimingApi instance;
  return instance;
}

void succeed(const char* call, int rc) {
  if (rc == 0) return;
  const char* text = nullptr;
  timing_api().cuGetErrorString(rc, &text);
  throw DriverError(call, rc, text != nullptr ? text : "unknown error");
}

}  // namespace

Event::Event() {
  succeed("cuEventCreate", timing_api().cuEventCreate(&event_, 0));
}

Event::~Event() {
  if (event_ != nullptr) timing_api().cuEventDestroy(event_);
}

void Event::record(void* stream) {
  succeed("cuEventRecord", timing_api().cuEventRecord(event_, stream));
}

bool Event::reached() const {
  const int rc = timing_api().cuEventQuery(event_);
  if (rc == kNotReady) return false;
  succeed("cuEventQuery", rc);
  return true;
}

void Event::wait() const {
  succeed("cuEventSynchronize", timing_api().cuEventSynchronize(event_));
}

double Event::elapsed_us(const Event& to) const {
  float ms = 0;
  succeed("cuEventElapsedTime", timing_api().cuEventElapsedTime(&ms, event_, to.event_));
  return static_cast<double>(ms) * 1e3;
}

PrivateMemory::PrivateMemory(size_t bytes) : bytes_(bytes) {
  unsigned long long address = 0;
  succeed("cuMemAlloc", timing_api().cuMemAlloc(&address, bytes));
  address_ = address;
}

PrivateMemory::~PrivateMemory() {
  timing_api().cuMemFree(address_);
}

void copy_async(uint64_t to, uint64_t from, size_t bytes) {
  if (bytes > 0) succeed("cuMemcpyDtoDAsync", timing_api().cuMemcpyDtoDAsync(to, from, bytes, nullptr));
}

void fill_async(uint64_t to, uint32_t word, size_t words) {
  if (words > 0) succeed("cuMemsetD32Async", timing_api().cuMemsetD32Async(to, word, words, nullptr));
}

CacheInfo cache_info(int index) {
  int device = 0, processors = 0, bytes = 0, khz = 0;
  succeed("cuDeviceGet", timing_api().cuDeviceGet(&device, index));
  succeed("cuDeviceGetAttribute", timing_api().cuDeviceGetAttribute(&processors, kProcessors, device));
  succeed("cuDeviceGetAttribute", timing_api().cuDeviceGetAttribute(&bytes, kL2Bytes, device));
  succeed("cuDeviceGetAttribute", timing_api().cuDeviceGetAttribute(&khz, kClockRate, device));
  return {.multiprocessors = processors, .l2_bytes = static_cast<size_t>(bytes), .typical_mhz = khz * 1e-3};
}

void* function_in(void* module, const char* name) {
  void* function = nullptr;
  succeed("cuModuleGetFunction", timing_api().cuModuleGetFunction(&function, module, name));
  return function;
}

bool release_persisting_cache() {
  // The limit first: lines that were reset could otherwise be pinned again.
  const bool limited = timing_api().cuCtxSetLimit(kPersistingLimit, 0) == 0;
  return timing_api().cuCtxResetPersistingL2Cache() == 0 && limited;
}

}  // namespace kbx::cuda
