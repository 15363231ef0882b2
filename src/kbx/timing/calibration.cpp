// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kbx/base/error.h"
#include "kbx/timing/round.h"
#include "kbx/timing/statistics.h"

namespace kbx::timing {
namespace {

using Json = nlohmann::json;

constexpr int kCalibrationVersion = 1;
constexpr size_t kNullPairs = 2000, kNullAtOnce = 100;
constexpr double kCoverUs = 200;  // of launches from C++, which take some microseconds
constexpr double kSettled = 0.01;
// Powers of two, denser where bandwidth rises.
constexpr int kCopyPowers[] = {16, 18, 20, 22, 23, 24, 25, 26, 27, 28, 30, 32};

double gbps(size_t bytes, double us) {
  return static_cast<double>(bytes) / us * 1e-3;
}

// A single reading of the spin's clock, from marks around it; behind another spin, so that no launch is in it.
double spin_mhz(Device& device, double mhz, double null_us) {
  const auto cycles = static_cast<uint64_t>(kCoverUs * mhz);
  device.spin(cycles);
  device.record(0);
  device.spin(cycles);
  device.record(1);
  device.synchronize();
  const double us = device.elapsed_us(0, 1) - null_us;
  return us > 0 ? static_cast<double>(cycles) / us : mhz;
}

void read_ceilings(const Json& json, Ceilings& to) {
  json.at("read_gbps").get_to(to.read_gbps);
  json.at("write_gbps").get_to(to.write_gbps);
  json.at("copy_gbps").get_to(to.copy_gbps);
  json.at("launch_floor_us").get_to(to.launch_floor_us);
  json.at("cache_bytes").get_to(to.cache_bytes);
  for (const Json& copy : json.at("copy_by_bytes"))
    to.copy_by_bytes[copy.at("bytes").get<double>()] = copy.at("gbps").get<double>();
  for (const auto& [name, rate] : json.at("tflops").items())
    if (const auto unit = unit_named(name)) to.tflops[static_cast<size_t>(*unit)] = rate.get<double>();
}

}  // namespace

Instrument measure_instrument(Device& device, double typical_mhz) {
  device.reserve(2 * kNullAtOnce);
  std::vector<double> pairs;
  while (pairs.size() < kNullPairs) {
    // Behind a spin, so that the pairs wait for the device and not for the host.
    device.spin(static_cast<uint64_t>(4 * kCoverUs * typical_mhz));
    for (size_t i = 0; i < 2 * kNullAtOnce; ++i) device.record(i);
    device.synchronize();
    for (size_t i = 0; i < 2 * kNullAtOnce; i += 2) pairs.push_back(device.elapsed_us(i, i + 1));
    // Neighbours of pairs too: the more different intervals, the surer the step.
    for (size_t i = 1; i + 2 < 2 * kNullAtOnce; i += 2) pairs.push_back(device.elapsed_us(i, i + 1));
  }
  Instrument instrument{.mhz = typical_mhz};
  instrument.quantum_us = quantum(pairs).value_or(0);
  instrument.null_us = median(std::move(pairs));
  instrument.mhz = spin_mhz(device, typical_mhz, instrument.null_us);
  return instrument;
}

double median_call_us(Device& device, Clock& clock, Workload& work, const Instrument& instrument) {
  constexpr size_t kRounds = 8;
  std::vector<double> calls;
  size_t iterations = 2;
  for (size_t i = 0; i < kRounds; ++i) {
    RoundSpec spec{.inputs = std::vector<size_t>(iterations + 1, 0), .untimed = 1};
    spec.spin_cycles = static_cast<uint64_t>(kCoverUs * instrument.mhz);
    const RoundResult result = run_round(device, clock, work, spec);
    // The first round is for warming up, and says how many calls a round can hold.
    if (i > 0)
      for (size_t k = spec.untimed; k < result.samples.size(); ++k)
        if (!result.samples[k].exposed) calls.push_back(result.samples[k].call_us);
    const double each = result.wall_us / static_cast<double>(result.samples.size());
    iterations = std::clamp<size_t>(static_cast<size_t>(5000 / each), 2, 32);
  }
  if (calls.empty())
    throw Error(ErrorKind::kEnvironment, "launches of the calibration were never hidden",
                "the host is too busy; try again when it is not");
  return median(std::move(calls));
}

size_t calibrate_flush(const std::function<double(size_t)>& probe_us, size_t least, size_t most) {
  double now = probe_us(least);
  for (size_t bytes = least; bytes < most; bytes *= 2) {
    const double next = probe_us(2 * bytes);
    if (std::abs(now / next - 1) < kSettled) return bytes + bytes / 2;
    now = next;
  }
  return most;
}

Ceilings measure_ceilings(Device& device, Clock& clock, const MakeTransfer& make, const Instrument& instrument,
                          size_t most_bytes) {
  const auto time = [&](Transfer kind, size_t bytes) {
    const auto work = make(kind, bytes);
    return median_call_us(device, clock, *work, instrument);
  };
  Ceilings ceilings;
  ceilings.launch_floor_us = time(Transfer::kNothing, 0);
  ceilings.read_gbps = gbps(most_bytes, time(Transfer::kRead, most_bytes));
  ceilings.write_gbps = gbps(most_bytes, time(Transfer::kWrite, most_bytes));
  for (const int power : kCopyPowers) {
    const size_t bytes = size_t{1} << power;
    if (bytes > most_bytes) break;
    ceilings.copy_by_bytes[static_cast<double>(bytes)] = gbps(bytes, time(Transfer::kCopy, bytes));
  }
  for (const auto& [bytes, rate] : ceilings.copy_by_bytes) ceilings.copy_gbps = rate;  // the largest
  return ceilings;
}

bool Calibration::fits(const std::string& its_uuid, const std::string& its_driver) const {
  return uuid == its_uuid && driver == its_driver;
}

Json to_json(const Calibration& c) {
  Json copies = Json::array(), rates = Json::object();
  for (const auto& [bytes, rate] : c.ceilings.copy_by_bytes) copies.push_back({{"bytes", bytes}, {"gbps", rate}});
  for (size_t i = 0; i < kUnits; ++i)
    if (c.ceilings.tflops[i] > 0) rates[std::string(name_of(static_cast<Unit>(i)))] = c.ceilings.tflops[i];
  return {{"kbx_calibration", kCalibrationVersion},
          {"device", c.device},
          {"uuid", c.uuid},
          {"driver", c.driver},
          {"torch", c.torch},
          {"read_gbps", c.ceilings.read_gbps},
          {"write_gbps", c.ceilings.write_gbps},
          {"copy_gbps", c.ceilings.copy_gbps},
          {"copy_by_bytes", std::move(copies)},
          {"tflops", std::move(rates)},
          {"launch_floor_us", c.ceilings.launch_floor_us},
          {"cache_bytes", c.ceilings.cache_bytes},
          {"null_us", c.null_us},
          {"quantum_us", c.quantum_us},
          {"mhz", c.mhz},
          {"flush_bytes", c.flush_bytes}};
}

Calibration read_calibration(const Json& json) {
  Calibration c;
  try {
    if (json.at("kbx_calibration").get<int>() != kCalibrationVersion)
      throw Error(ErrorKind::kInput, "a calibration of another version", "measure it again with 'kbx calibrate'");
    json.at("device").get_to(c.device);
    json.at("uuid").get_to(c.uuid);
    json.at("driver").get_to(c.driver);
    json.at("torch").get_to(c.torch);
    json.at("null_us").get_to(c.null_us);
    json.at("quantum_us").get_to(c.quantum_us);
    json.at("mhz").get_to(c.mhz);
    json.at("flush_bytes").get_to(c.flush_bytes);
    read_ceilings(json, c.ceilings);
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kInput, fmt::format("not a calibration: {}", error.what()));
  }
  return c;
}

}  // namespace kbx::timing
