// SPDX-License-Identifier: Apache-2.0
// What a device is measured to be before it judges: the instrument's own errors, and the ceilings. Kept by device and
// driver. The rates of matrix units are not measured here: the judge times torch's products and adds them.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "kbx/timing/device.h"
#include "kbx/timing/hardware.h"
#include "kbx/timing/size_timer.h"

namespace kbx::timing {

enum class Transfer { kNothing, kRead, kWrite, kCopy };
// A workload that moves this many bytes.
using MakeTransfer = std::function<std::unique_ptr<Workload>(Transfer, size_t bytes)>;

// The pair of marks with nothing between, the clock's step, and a first reading of the spin's clock.
// typical_mhz: as the driver says; only to begin with.
Instrument measure_instrument(Device& device, double typical_mhz);

// Median under the cold protocol, in microseconds: how a candidate would be timed.
double median_call_us(Device& device, Clock& clock, Workload& work, const Instrument& instrument);

// Bytes that a flush has to go over until a probe's time no longer depends on it: the smallest power of two at which
// the probe is within 1 % of what it is after a flush of twice that, half as much again. Asked for, not read from the
// device: partitioned and memory-side caches make the nominal size misleading. probe_us: of a read of some MB after a
// flush of so many bytes.
size_t calibrate_flush(const std::function<double(size_t)>& probe_us, size_t least, size_t most);

// Bandwidths and launch floor. most_bytes: what a transfer may move at most (the device's memory sets it).
Ceilings measure_ceilings(Device& device, Clock& clock, const MakeTransfer& make, const Instrument& instrument,
                          size_t most_bytes);

struct Calibration {
  std::string device, uuid, driver, torch;
  Ceilings ceilings;
  double null_us = 0, quantum_us = 0;
  double mhz = 0;  // of the spin's clock when it was measured
  size_t flush_bytes = 0;

  bool fits(const std::string& its_uuid, const std::string& its_driver) const;
};
nlohmann::json to_json(const Calibration& calibration);
// Throws kbx::Error(kInput) on what is not one.
Calibration read_calibration(const nlohmann::json& json);

}  // namespace kbx::timing
