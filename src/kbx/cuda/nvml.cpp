// SPDX-License-Identifier: Apache-2.0
// Types and constants are those of nvml.h.
#include "kbx/cuda/nvml.h"

#include <dlfcn.h>

#include <array>
#include <type_traits>
#include <utility>

namespace kbx::cuda {
namespace {

using Handle = void*;
constexpr unsigned kSmClock = 1, kMemoryClock = 2;  // NVML_CLOCK_*
constexpr unsigned kTemperatureOfGpu = 0;           // NVML_TEMPERATURE_GPU
constexpr size_t kMostProcesses = 64;

struct ProcessInfo {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};

struct Nvml {
  int (*nvmlInit_v2)() = nullptr;
  int (*nvmlDeviceGetHandleByUUID)(const char*, Handle*) = nullptr;
  int (*nvmlDeviceGetClockInfo)(Handle, unsigned, unsigned*) = nullptr;
  int (*nvmlDeviceGetTemperature)(Handle, unsigned, unsigned*) = nullptr;
  int (*nvmlDeviceGetPowerUsage)(Handle, unsigned*) = nullptr;
  int (*nvmlDeviceGetEnforcedPowerLimit)(Handle, unsigned*) = nullptr;
  int (*reasons)(Handle, unsigned long long*) = nullptr;
  int (*nvmlDeviceGetComputeRunningProcesses_v3)(Handle, unsigned*, ProcessInfo*) = nullptr;
  std::string why;

  Nvml() {
    void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      why = "no libnvidia-ml.so.1 on this machine";
      return;
    }
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
      return function != nullptr;
    };
    if (!find(nvmlInit_v2, "nvmlInit_v2") || !find(nvmlDeviceGetHandleByUUID, "nvmlDeviceGetHandleByUUID") ||
        nvmlInit_v2() != 0) {
      nvmlDeviceGetHandleByUUID = nullptr;
      why = "libnvidia-ml could not be initialised";
      return;
    }
    find(nvmlDeviceGetClockInfo, "nvmlDeviceGetClockInfo");
    find(nvmlDeviceGetTemperature, "nvmlDeviceGetTemperature");
    find(nvmlDeviceGetPowerUsage, "nvmlDeviceGetPowerUsage");
    find(nvmlDeviceGetEnforcedPowerLimit, "nvmlDeviceGetEnforcedPowerLimit");
    find(nvmlDeviceGetComputeRunningProcesses_v3, "nvmlDeviceGetComputeRunningProcesses_v3");
    // The name changed with driver 535.
    if (!find(reasons, "nvmlDeviceGetCurrentClocksEventReasons"))
      find(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  }

  Handle handle(const std::string& uuid) const {
    Handle device = nullptr;
    if (nvmlDeviceGetHandleByUUID == nullptr || nvmlDeviceGetHandleByUUID(uuid.c_str(), &device) != 0) return nullptr;
    return device;
  }
};

const Nvml& nvml() {
  static const Nvml instance;
  return instance;
}

template <class Function, class... Arguments>
std::optional<double> asked(Function function, double scale, Arguments... arguments) {
  unsigned value = 0;
  if (function == nullptr || function(arguments..., &value) != 0) return std::nullopt;
  return value * scale;
}

std::optional<std::vector<std::string>> reasons_of(Handle device) {
  unsigned long long bits = 0;
  if (nvml().reasons == nullptr || nvml().reasons(device, &bits) != 0) return std::nullopt;
  return reasons_named(bits);
}

std::optional<std::vector<int>> processes_of(Handle device) {
  std::array<ProcessInfo, kMostProcesses> infos{};
  unsigned count = kMostProcesses;
  const auto ask = nvml().nvmlDeviceGetComputeRunningProcesses_v3;
  if (ask == nullptr || ask(device, &count, infos.data()) != 0) return std::nullopt;
  std::vector<int> pids;
  for (unsigned i = 0; i < count; ++i) pids.push_back(static_cast<int>(infos[i].pid));
  return pids;
}

}  // namespace

CardState card_state(const std::string& uuid, std::string* reason) {
  const Handle device = nvml().handle(uuid);
  if (device == nullptr) {
    if (reason != nullptr) *reason = nvml().why.empty() ? "libnvidia-ml does not know this card" : nvml().why;
    return {};
  }
  constexpr double kMilli = 1e-3;
  return {.sm_mhz = asked(nvml().nvmlDeviceGetClockInfo, 1, device, kSmClock),
          .memory_mhz = asked(nvml().nvmlDeviceGetClockInfo, 1, device, kMemoryClock),
          .celsius = asked(nvml().nvmlDeviceGetTemperature, 1, device, kTemperatureOfGpu),
          .watts = asked(nvml().nvmlDeviceGetPowerUsage, kMilli, device),
          .watts_limit = asked(nvml().nvmlDeviceGetEnforcedPowerLimit, kMilli, device),
          .throttle_reasons = reasons_of(device),
          .processes = processes_of(device)};
}

std::vector<std::string> throttle_reasons(const std::string& uuid) {
  const Handle device = nvml().handle(uuid);
  return device == nullptr ? std::vector<std::string>() : reasons_of(device).value_or(std::vector<std::string>());
}

std::vector<std::string> reasons_named(uint64_t bits) {
  constexpr std::pair<uint64_t, const char*> kReasons[] = {
      {0x4, "software power cap"}, {0x8, "hardware slowdown"},     {0x10, "sync boost"},     {0x20, "software thermal"},
      {0x40, "hardware thermal"},  {0x80, "hardware power brake"}, {0x100, "display clock"},
  };
  std::vector<std::string> names;
  for (const auto& [bit, name] : kReasons)
    if ((bits & bit) != 0) names.emplace_back(name);
  return names;
}

}  // namespace kbx::cuda
