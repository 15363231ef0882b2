// SPDX-License-Identifier: Apache-2.0
// What a device can do, and how much of that a time makes use of. Ceilings are measured on the very card
// (calibration.h); datasheets, which no program reaches, serve the published figures and stand in where nothing was
// measured.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kbx::timing {

// Units of arithmetic by the type of their operands; matrix units sum in a wider type. kFp32 and kFp64 are the ordinary
// ones.
enum class Unit { kFp64, kFp32, kTf32, kFp16, kBf16, kFp8, kInt8 };
inline constexpr size_t kUnits = 7;
std::string_view name_of(Unit unit);
std::optional<Unit> unit_named(std::string_view name);

// 10^12 operations a second, dense (no sparsity); 0 where the device has no such unit, or it is not known.
using Throughput = std::array<double, kUnits>;

struct Datasheet {
  std::string_view pattern;  // a part of the name that the driver gives
  double memory_gbps = 0;    // 10^9 bytes a second
  Throughput tflops = {};
  // Cards for players halve the rate of fp16 products that are summed in float32; tflops has that rate.
  double half_sums_factor = 1;
};
// The most particular entry that fits.
std::optional<Datasheet> datasheet_of(std::string_view device_name);

// Measured.
struct Ceilings {
  double read_gbps = 0, write_gbps = 0, copy_gbps = 0;
  std::map<double, double> copy_by_bytes = {};  // bytes moved (read and written) -> GB/s under the cold protocol
  Throughput tflops = {};
  double launch_floor_us = 0;  // a kernel that does nothing, timed as everything is
  double cache_bytes = 0;      // last level; writes may stay there
  // Between the measured sizes, linear in the logarithm of the size; absent when nothing was measured.
  std::optional<double> copy_gbps_at(double bytes) const;
};

// What cannot be avoided: a task's cost, with the unit that its matrix operations may use.
struct WorkDone {
  double bytes_read = 0, bytes_written = 0;  // unique ones
  double flops = 0;                          // all, matrix operations included
  double matrix_flops = 0;
  Unit matrix_unit = Unit::kFp32;
};

enum class Bound { kMemory, kArithmetic, kLatency };
std::string_view name_of(Bound bound);  // "memory", "arithmetic", "latency"

struct Floor {
  double us = 0;
  Bound bound = Bound::kLatency;
};
// The time that the work takes at the ceilings.
Floor floor_of(const WorkDone& work, const Ceilings& ceilings);
// What no right program can go below, with every doubt in the program's favour: writes may stay in the cache, reading
// is faster than copying, float32 products may be made from TF32 ones.
double strict_floor_us(const WorkDone& work, const Ceilings& ceilings, const std::optional<Datasheet>& datasheet);

struct Efficiency {
  double gbps = 0, tflops = 0;
  // Shares of 1, absent where the ceiling is not known.
  std::optional<double> of_copy = {};            // of the calibrated copy
  std::optional<double> of_same_size_copy = {};  // fair below what fills the device
  std::optional<double> of_throughput = {};      // of the calibrated unit
  std::optional<double> of_datasheet_memory = {}, of_datasheet_throughput = {};
  std::optional<double> published_use = {};  // the larger of the datasheet's two shares
  Floor floor = {};
  double time_over_floor = 0;  // 1 is ideal
  std::optional<double> speed_of_light =
      {};                   // 0.5 for the baseline's time, 1 at the floor; absent when the baseline is there
  bool impossible = false;  // below 0.97 of the strict floor
};
Efficiency efficiency_of(const WorkDone& work, double time_us, std::optional<double> base_us, const Ceilings& ceilings,
                         const std::optional<Datasheet>& datasheet);

}  // namespace kbx::timing
