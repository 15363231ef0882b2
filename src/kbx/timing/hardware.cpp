// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/hardware.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>

namespace kbx::timing {
namespace {

constexpr std::array<std::string_view, kUnits> kUnitNames{"fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8"};

// From NVIDIA's datasheets and architecture white papers (Ampere GA100, Hopper GH100, Ada AD102, Blackwell GB202 and
// B200), dense rates with sums in float32. Columns: GB/s; fp64, fp32, tf32, fp16, bf16, fp8, int8 in 10^12 a second.
// Where names overlap the longer pattern counts.
constexpr Datasheet kDatasheets[] = {
    {"B200", 8000, {40, 80, 1100, 2250, 2250, 4500, 4500}},
    {"H200", 4800, {34, 67, 494.7, 989.4, 989.4, 1978.9, 1978.9}},
    {"H100", 3350, {34, 67, 494.7, 989.4, 989.4, 1978.9, 1978.9}},
    {"H100 PCIe", 2000, {26, 51, 378, 756, 756, 1513, 1513}},
    {"H100 NVL", 3900, {30, 60, 417.5, 835.5, 835.5, 1671, 1671}},
    {"H800", 3350, {1, 67, 494.7, 989.4, 989.4, 1978.9, 1978.9}},
    {"H800 PCIe", 2000, {0.8, 51, 378, 756, 756, 1513, 1513}},
    {"H20", 4000, {1, 44, 74, 148, 148, 296, 296}},
    {"A100", 1555, {9.7, 19.5, 156, 312, 312, 0, 624}},
    {"A100-SXM4-80GB", 2039, {9.7, 19.5, 156, 312, 312, 0, 624}},
    {"A100 80GB PCIe", 1935, {9.7, 19.5, 156, 312, 312, 0, 624}},
    {"L20", 864, {0.93, 59.8, 59.8, 119.5, 119.5, 239, 239}},
    {"L40S", 864, {1.4, 91.6, 183, 362, 362, 733, 733}},
    {"RTX 4090", 1008, {1.3, 82.6, 82.6, 165.2, 165.2, 330.3, 660.6}, 2},
    {"RTX 5090", 1792, {1.6, 104.8, 104.8, 209.5, 209.5, 419, 838}, 2},
};

constexpr double kImpossible = 0.97;
constexpr double kStrictLatency = 0.8;  // of the launch floor: another launch path may be that much shorter

double at(const Throughput& tflops, Unit unit) {
  return tflops[static_cast<size_t>(unit)];
}

// GB/s are bytes per 10^-9 s, so bytes / GB/s are 10^-9 s.
double transfer_us(double bytes, double gbps) {
  return gbps > 0 ? bytes / gbps * 1e-3 : 0;
}
double arithmetic_us(double flops, double tflops) {
  return tflops > 0 ? flops / tflops * 1e-6 : 0;
}

double arithmetic_floor_us(const WorkDone& work, const Throughput& tflops) {
  // Ordinary and matrix units can work at the same time.
  return std::max(arithmetic_us(work.flops - work.matrix_flops, at(tflops, Unit::kFp32)),
                  arithmetic_us(work.matrix_flops, at(tflops, work.matrix_unit)));
}

// What a right program might use at best.
Throughput generous(const Ceilings& ceilings, const std::optional<Datasheet>& datasheet) {
  Throughput best = ceilings.tflops;
  if (datasheet)
    for (size_t i = 0; i < kUnits; ++i) {
      const auto unit = static_cast<Unit>(i);
      best[i] = std::max(best[i], datasheet->tflops[i] * (unit == Unit::kFp16 ? datasheet->half_sums_factor : 1));
    }
  // A float32 product in three TF32 ones (six of bfloat16 cost as much).
  double& fp32 = best[static_cast<size_t>(Unit::kFp32)];
  fp32 = std::max(fp32, at(best, Unit::kTf32) / 3);
  return best;
}

std::optional<double> share(double value, double ceiling) {
  return ceiling > 0 ? std::optional(value / ceiling) : std::nullopt;
}

// 1 / (1 + (t - floor) / (base - floor)), which is one half at the baseline's time; beyond its ends it means nothing.
std::optional<double> speed_of_light(double time_us, std::optional<double> base_us, double floor_us) {
  if (!base_us || *base_us <= floor_us) return std::nullopt;
  if (time_us <= floor_us) return 1;
  return 1 / (1 + (time_us - floor_us) / (*base_us - floor_us));
}

// The rate that the published use of the hardware divides by: the matrix unit's where there is matrix work.
Unit ruling_unit(const WorkDone& work) {
  return work.matrix_flops > 0 ? work.matrix_unit : Unit::kFp32;
}

}  // namespace

std::string_view name_of(Unit unit) {
  return kUnitNames[static_cast<size_t>(unit)];
}

std::optional<Unit> unit_named(std::string_view name) {
  const auto found = std::ranges::find(kUnitNames, name);
  if (found == kUnitNames.end()) return std::nullopt;
  return static_cast<Unit>(found - kUnitNames.begin());
}

std::string_view name_of(Bound bound) {
  return bound == Bound::kMemory ? "memory" : bound == Bound::kArithmetic ? "arithmetic" : "latency";
}

std::optional<Datasheet> datasheet_of(std::string_view device_name) {
  std::optional<Datasheet> best;
  for (const Datasheet& sheet : kDatasheets) {
    const size_t found = device_name.find(sheet.pattern);
    if (found == std::string_view::npos) continue;
    // "H20" is no part of "H200", nor "H200" of "GH200".
    const size_t end = found + sheet.pattern.size();
    const auto letter = [&](size_t i) { return std::isalnum(static_cast<unsigned char>(device_name[i])) != 0; };
    if ((found > 0 && letter(found - 1)) || (end < device_name.size() && letter(end))) continue;
    if (!best || sheet.pattern.size() > best->pattern.size()) best = sheet;
  }
  return best;
}

std::optional<double> Ceilings::copy_gbps_at(double bytes) const {
  if (copy_by_bytes.empty()) return std::nullopt;
  const auto above = copy_by_bytes.lower_bound(bytes);
  if (above == copy_by_bytes.begin()) return above->second;
  const auto below = std::prev(above);
  if (above == copy_by_bytes.end()) return below->second;
  const double way = std::log(bytes / below->first) / std::log(above->first / below->first);
  return below->second + way * (above->second - below->second);
}

Floor floor_of(const WorkDone& work, const Ceilings& ceilings) {
  const double memory = transfer_us(work.bytes_read + work.bytes_written, ceilings.copy_gbps);
  const double arithmetic = arithmetic_floor_us(work, ceilings.tflops);
  Floor floor{.us = ceilings.launch_floor_us, .bound = Bound::kLatency};
  if (memory > floor.us) floor = {.us = memory, .bound = Bound::kMemory};
  if (arithmetic > floor.us) floor = {.us = arithmetic, .bound = Bound::kArithmetic};
  return floor;
}

double strict_floor_us(const WorkDone& work, const Ceilings& ceilings, const std::optional<Datasheet>& datasheet) {
  const double through_memory = work.bytes_read + std::max(0.0, work.bytes_written - ceilings.cache_bytes);
  const double gbps = ceilings.read_gbps > 0 ? ceilings.read_gbps : datasheet ? datasheet->memory_gbps : 0;
  return std::max({transfer_us(through_memory, gbps), arithmetic_floor_us(work, generous(ceilings, datasheet)),
                   kStrictLatency * ceilings.launch_floor_us});
}

Efficiency efficiency_of(const WorkDone& work, double time_us, std::optional<double> base_us, const Ceilings& ceilings,
                         const std::optional<Datasheet>& datasheet) {
  const double bytes = work.bytes_read + work.bytes_written;
  const Unit unit = ruling_unit(work);
  Efficiency e{
      .gbps = bytes / time_us * 1e-3, .tflops = work.flops / time_us * 1e-6, .floor = floor_of(work, ceilings)};
  e.of_copy = share(e.gbps, ceilings.copy_gbps);
  e.of_same_size_copy = share(e.gbps, ceilings.copy_gbps_at(bytes).value_or(0));
  e.of_throughput = share(e.tflops, at(ceilings.tflops, unit));
  if (datasheet) {
    e.of_datasheet_memory = share(e.gbps, datasheet->memory_gbps);
    e.of_datasheet_throughput = share(e.tflops, at(datasheet->tflops, unit));
    e.published_use = std::max(e.of_datasheet_memory.value_or(0), e.of_datasheet_throughput.value_or(0));
  }
  if (e.floor.us > 0) {
    e.time_over_floor = time_us / e.floor.us;
    e.speed_of_light = speed_of_light(time_us, base_us, e.floor.us);
  }
  e.impossible = time_us < kImpossible * strict_floor_us(work, ceilings, datasheet);
  return e;
}

}  // namespace kbx::timing
