// SPDX-License-Identifier: Apache-2.0
// Types and constants are those of cuda.h (CUDA 12 and 13), written out so that no CUDA header is needed.
#include "kbx/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

namespace kbx::cuda {
namespace {

using Result = int;
using DevicePtr = unsigned long long;
using AllocationHandle = unsigned long long;

constexpr int kPinned = 1;               // CU_MEM_ALLOCATION_TYPE_PINNED
constexpr int kFileDescriptor = 1;       // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
constexpr int kOnDevice = 1;             // CU_MEM_LOCATION_TYPE_DEVICE
constexpr int kReadWrite = 3;            // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
constexpr int kMajor = 75, kMinor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
constexpr int kInvalidValue = 1;         // CUDA_ERROR_INVALID_VALUE
// CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B
constexpr int kNotInterleaved = 0, kPromoteToL2Of128Bytes = 2;
// CU_FUNC_ATTRIBUTE_*
constexpr int kMaxThreads = 0, kStaticShared = 1, kLocalBytes = 3, kRegisters = 4, kMaxDynamicShared = 8;
constexpr int kPreferShared = 1;                // CU_FUNC_CACHE_PREFER_SHARED
constexpr int kDefaultSharedBytes = 48 * 1024;  // beyond this a kernel has to ask
// CU_LAUNCH_ATTRIBUTE_*
constexpr int kCooperative = 2, kClusterDimension = 4, kProgrammatic = 6;

struct Location {
  int type, id;
};
struct AllocationProp {
  int type;
  int handle_types;
  Location location;
  void* win32;
  struct {
    unsigned char compression, rdma;
    unsigned short usage;
    unsigned char reserved[4];
  } flags;
};
struct AccessDesc {
  Location location;
  int flags;
};
struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int cooperative;
    int programmatic;
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};
struct LaunchConfig {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};
struct Uuid {
  unsigned char bytes[16];
};

// The driver's functions. Missing ones leave a reason in `why`.
struct Api {
  Result (*cuInit)(unsigned);
  Result (*cuGetErrorString)(Result, const char**);
  Result (*cuDriverGetVersion)(int*);
  Result (*cuDeviceGetCount)(int*);
  Result (*cuDeviceGet)(int*, int);
  Result (*cuDeviceGetName)(char*, int, int);
  Result (*cuDeviceGetUuid)(Uuid*, int);
  Result (*cuDeviceGetAttribute)(int*, int, int);
  Result (*cuDeviceTotalMem)(size_t*, int);
  Result (*cuDevicePrimaryCtxRetain)(void**, int);
  Result (*cuCtxSetCurrent)(void*);
  Result (*cuCtxGetDevice)(int*);
  Result (*cuCtxSynchronize)();
  Result (*cuMemGetAllocationGranularity)(size_t*, const AllocationProp*, int);
  Result (*cuMemCreate)(AllocationHandle*, size_t, const AllocationProp*, unsigned long long);
  Result (*cuMemRelease)(AllocationHandle);
  Result (*cuMemAddressReserve)(DevicePtr*, size_t, size_t, DevicePtr, unsigned long long);
  Result (*cuMemAddressFree)(DevicePtr, size_t);
  Result (*cuMemMap)(DevicePtr, size_t, size_t, AllocationHandle, unsigned long long);
  Result (*cuMemUnmap)(DevicePtr, size_t);
  Result (*cuMemSetAccess)(DevicePtr, size_t, const AccessDesc*, size_t);
  Result (*cuMemExportToShareableHandle)(void*, AllocationHandle, int, unsigned long long);
  Result (*cuMemImportFromShareableHandle)(AllocationHandle*, void*, int);
  Result (*cuMemcpyHtoD)(DevicePtr, const void*, size_t);
  Result (*cuMemcpyDtoH)(void*, DevicePtr, size_t);
  Result (*cuModuleLoadData)(void**, const void*);
  Result (*cuModuleGetFunction)(void**, void*, const char*);
  Result (*cuFuncGetAttribute)(int*, int, void*);
  Result (*cuFuncSetAttribute)(void*, int, int);
  Result (*cuFuncSetCacheConfig)(void*, int);
  Result (*cuLaunchKernelEx)(const LaunchConfig*, void*, void**, void**);
  Result (*cuTensorMapEncodeTiled)(TensorMap*, int, unsigned, void*, const uint64_t*, const uint64_t*, const uint32_t*,
                                   const uint32_t*, int, int, int, int);

  std::string why;
  bool usable = false;

  Api() {
    void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      why = "no CUDA driver (libcuda.so.1) on this machine";
      return;
    }
    bool complete = true;
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
      if (function == nullptr) {
        complete = false;
        why = fmt::format("the CUDA driver lacks {}", name);
      }
    };
    find(cuInit, "cuInit");
    find(cuGetErrorString, "cuGetErrorString");
    find(cuDriverGetVersion, "cuDriverGetVersion");
    find(cuDeviceGetCount, "cuDeviceGetCount");
    find(cuDeviceGet, "cuDeviceGet");
    find(cuDeviceGetName, "cuDeviceGetName");
    find(cuDeviceGetUuid, "cuDeviceGetUuid");
    find(cuDeviceGetAttribute, "cuDeviceGetAttribute");
    find(cuDeviceTotalMem, "cuDeviceTotalMem_v2");
    find(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
    find(cuCtxSetCurrent, "cuCtxSetCurrent");
    find(cuCtxGetDevice, "cuCtxGetDevice");
    find(cuCtxSynchronize, "cuCtxSynchronize");
    find(cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity");
    find(cuMemCreate, "cuMemCreate");
    find(cuMemRelease, "cuMemRelease");
    find(cuMemAddressReserve, "cuMemAddressReserve");
    find(cuMemAddressFree, "cuMemAddressFree");
    find(cuMemMap, "cuMemMap");
    find(cuMemUnmap, "cuMemUnmap");
    find(cuMemSetAccess, "cuMemSetAccess");
    find(cuMemExportToShareableHandle, "cuMemExportToShareableHandle");
    find(cuMemImportFromShareableHandle, "cuMemImportFromShareableHandle");
    find(cuMemcpyHtoD, "cuMemcpyHtoD_v2");
    find(cuMemcpyDtoH, "cuMemcpyDtoH_v2");
    find(cuModuleLoadData, "cuModuleLoadData");
    find(cuModuleGetFunction, "cuModuleGetFunction");
    find(cuFuncGetAttribute, "cuFuncGetAttribute");
    find(cuFuncSetAttribute, "cuFuncSetAttribute");
    find(cuFuncSetCacheConfig, "cuFuncSetCacheConfig");
    find(cuLaunchKernelEx, "cuLaunchKernelEx");
    find(cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled");
    if (!complete) return;
    if (const Result rc = cuInit(0); rc != 0) {
      const char* text = nullptr;
      cuGetErrorString(rc, &text);
      why = fmt::format("cuInit: {}", text != nullptr ? text : "unknown error");
      return;
    }
    int count = 0;
    if (cuDeviceGetCount(&count) != 0 || count == 0) {
      why = "the CUDA driver sees no device";
      return;
    }
    usable = true;
  }
};

// Made at the first call, never before: a zygote must not touch the driver, since a CUDA context does not survive fork.
Api& api() {
  static Api instance;
  return instance;
}

void check(const char* call, Result rc) {
  if (rc == 0) return;
  const char* text = nullptr;
  api().cuGetErrorString(rc, &text);
  throw DriverError(call, rc, text != nullptr ? text : "unknown error");
}

int current_device() {
  int device = 0;
  check("cuCtxGetDevice", api().cuCtxGetDevice(&device));
  return device;
}

AllocationProp shared_on(int device) {
  AllocationProp prop{};
  prop.type = kPinned;
  prop.handle_types = kFileDescriptor;
  prop.location = {kOnDevice, device};
  return prop;
}

void* map_handle(AllocationHandle handle, size_t bytes, int device) {
  DevicePtr address = 0;
  check("cuMemAddressReserve", api().cuMemAddressReserve(&address, bytes, 0, 0, 0));
  check("cuMemMap", api().cuMemMap(address, bytes, 0, handle, 0));
  const AccessDesc access{.location = {kOnDevice, device}, .flags = kReadWrite};
  check("cuMemSetAccess", api().cuMemSetAccess(address, bytes, &access, 1));
  return reinterpret_cast<void*>(address);
}

DevicePtr pointer(const void* p) {
  return reinterpret_cast<DevicePtr>(p);
}

}  // namespace

DriverError::DriverError(const char* call, int code, std::string text)
    : message_(fmt::format("{}: {}", call, text)), code_(code) {}

bool available(std::string* why) {
  if (why != nullptr) *why = api().why;
  return api().usable;
}

int device_count() {
  int count = 0;
  if (available()) check("cuDeviceGetCount", api().cuDeviceGetCount(&count));
  return count;
}

DeviceInfo device_info(int index) {
  DeviceInfo info;
  int device = 0;
  check("cuDeviceGet", api().cuDeviceGet(&device, index));
  std::array<char, 256> name{};
  check("cuDeviceGetName", api().cuDeviceGetName(name.data(), static_cast<int>(name.size()), device));
  info.name = name.data();
  Uuid uuid{};
  check("cuDeviceGetUuid", api().cuDeviceGetUuid(&uuid, device));
  info.uuid = "GPU-";
  for (size_t i = 0; i < sizeof uuid.bytes; ++i)
    info.uuid += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid.bytes[i]);
  check("cuDeviceGetAttribute", api().cuDeviceGetAttribute(&info.major, kMajor, device));
  check("cuDeviceGetAttribute", api().cuDeviceGetAttribute(&info.minor, kMinor, device));
  check("cuDeviceTotalMem", api().cuDeviceTotalMem(&info.memory_bytes, device));
  check("cuDriverGetVersion", api().cuDriverGetVersion(&info.driver_version));
  return info;
}

void use_device(int index) {
  int device = 0;
  void* context = nullptr;
  check("cuDeviceGet", api().cuDeviceGet(&device, index));
  check("cuDevicePrimaryCtxRetain", api().cuDevicePrimaryCtxRetain(&context, device));
  check("cuCtxSetCurrent", api().cuCtxSetCurrent(context));
}

SharedBlock allocate_block(size_t bytes) {
  const int device = current_device();
  const AllocationProp prop = shared_on(device);
  size_t granularity = 0;
  check("cuMemGetAllocationGranularity", api().cuMemGetAllocationGranularity(&granularity, &prop, 0));
  SharedBlock block;
  block.bytes = (bytes + granularity - 1) / granularity * granularity;
  AllocationHandle handle = 0;
  check("cuMemCreate", api().cuMemCreate(&handle, block.bytes, &prop, 0));
  int fd = -1;
  const Result exported = api().cuMemExportToShareableHandle(&fd, handle, kFileDescriptor, 0);
  if (exported == 0) {
    block.fd = Fd(fd);
    block.address = map_handle(handle, block.bytes, device);
  }
  // The mapping and the descriptor keep the memory alive; the handle itself is not needed any more.
  api().cuMemRelease(handle);
  check("cuMemExportToShareableHandle", exported);
  return block;
}

void free_block(SharedBlock& block) noexcept {
  if (block.address != nullptr) {
    api().cuMemUnmap(pointer(block.address), block.bytes);
    api().cuMemAddressFree(pointer(block.address), block.bytes);
  }
  block = {};
}

void* import_block(int fd, size_t bytes) {
  AllocationHandle handle = 0;
  check("cuMemImportFromShareableHandle",
        api().cuMemImportFromShareableHandle(&handle, reinterpret_cast<void*>(static_cast<intptr_t>(fd)),
                                             kFileDescriptor));
  void* address = map_handle(handle, bytes, current_device());
  api().cuMemRelease(handle);
  return address;
}

void copy_to_device(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return;
  check("cuMemcpyHtoD", api().cuMemcpyHtoD(pointer(to), from, bytes));
  // From pageable memory the call returns once the bytes are staged. Another process must not be told of them before
  // they have landed: measured, inputs and poison arrived after a guest had started.
  check("cuCtxSynchronize", api().cuCtxSynchronize());
}

void copy_from_device(void* to, const void* from, size_t bytes) {
  if (bytes > 0) check("cuMemcpyDtoH", api().cuMemcpyDtoH(to, pointer(from), bytes));
}

void synchronize() {
  check("cuCtxSynchronize", api().cuCtxSynchronize());
}

Kernel load_kernel(const char* name, const void* image, int shared_bytes) {
  Kernel kernel;
  check("cuModuleLoadData", api().cuModuleLoadData(&kernel.module, image));
  check("cuModuleGetFunction", api().cuModuleGetFunction(&kernel.function, kernel.module, name));
  const auto attribute = [&](int which) {
    int value = 0;
    check("cuFuncGetAttribute", api().cuFuncGetAttribute(&value, which, kernel.function));
    return value;
  };
  kernel.registers = attribute(kRegisters);
  kernel.spills = attribute(kLocalBytes) / 4;  // in registers of four bytes, as Triton counts them
  kernel.max_threads = attribute(kMaxThreads);
  if (shared_bytes > kDefaultSharedBytes) {
    check("cuFuncSetCacheConfig", api().cuFuncSetCacheConfig(kernel.function, kPreferShared));
    check("cuFuncSetAttribute",
          api().cuFuncSetAttribute(kernel.function, kMaxDynamicShared, shared_bytes - attribute(kStaticShared)));
  }
  return kernel;
}

void launch(void* function, const Launch& how, std::span<void*> arguments) {
  std::array<LaunchAttribute, 3> attributes{};
  unsigned count = 0;
  if (how.cooperative) {
    attributes[count].id = kCooperative;
    attributes[count++].value.cooperative = 1;
  }
  if (how.programmatic) {
    attributes[count].id = kProgrammatic;
    attributes[count++].value.programmatic = 1;
  }
  if (how.cluster > 1) {
    attributes[count].id = kClusterDimension;
    attributes[count++].value.cluster = {how.cluster, 1, 1};
  }
  const LaunchConfig config{.grid_x = how.grid[0] * how.cluster,
                            .grid_y = how.grid[1],
                            .grid_z = how.grid[2],
                            .block_x = how.threads,
                            .block_y = 1,
                            .block_z = 1,
                            .shared_bytes = how.shared_bytes,
                            .stream = how.stream,
                            .attributes = attributes.data(),
                            .attribute_count = count};
  check("cuLaunchKernelEx", api().cuLaunchKernelEx(&config, function, arguments.data(), nullptr));
}

TensorMap encode_tensor_map(const Tiling& tiling) {
  const size_t rank = tiling.shape.size();
  if (rank == 0 || rank > kMaxTensorMapRank || tiling.strides_bytes.size() != rank - 1 || tiling.block.size() != rank)
    throw DriverError("cuTensorMapEncodeTiled", kInvalidValue, "shape, strides and block are not of one rank up to 5");
  // The driver wants the innermost dimension first.
  const auto backwards = [](const auto& values) { return std::vector(values.rbegin(), values.rend()); };
  const std::vector<uint64_t> shape = backwards(tiling.shape);
  std::vector<uint64_t> strides = backwards(tiling.strides_bytes);
  const std::vector<uint32_t> block = backwards(tiling.block);
  const std::vector<uint32_t> element_strides(rank, 1);
  strides.push_back(0);  // so that data() is an address where the rank is one
  TensorMap map;
  check("cuTensorMapEncodeTiled",
        api().cuTensorMapEncodeTiled(&map, tiling.element_type, static_cast<unsigned>(rank), tiling.base, shape.data(),
                                     strides.data(), block.data(), element_strides.data(), kNotInterleaved,
                                     tiling.swizzle, kPromoteToL2Of128Bytes, tiling.nan_outside ? 1 : 0));
  return map;
}

}  // namespace kbx::cuda
