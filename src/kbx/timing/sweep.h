// SPDX-License-Identifier: Apache-2.0
// The sizes of a task, each compared in several epochs: an epoch visits every size once, in an order drawn anew, so
// that a size is measured at several moments of the run and what drifts slowly shows in its interval.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kbx/timing/size_timer.h"

namespace kbx::timing {

// The sizes, as the judge can offer them.
class SizeSource {
 public:
  virtual ~SizeSource() = default;
  virtual size_t count() const = 0;
  virtual std::string label(size_t size) const = 0;
  virtual size_t pool(size_t size) const = 0;  // different inputs at this size
  // Puts this size's data in place for both sides. Absent: a side cannot go on.
  virtual std::optional<Sides> enter(size_t size) = 0;
};

struct Sweep {
  std::vector<SizeTiming> sizes;    // of every size, those without an estimate too
  std::optional<size_t> failed_at;  // the size at which a side could not go on; nothing was measured after it
};
Sweep time_sizes(SizeSource& source, const Options& options, const Instrument& instrument, Clock& clock,
                 Random& random);

// The sizes of a first look: smallest, middle and largest of those in order; all where there are no more than three.
std::vector<size_t> quick_sizes(size_t count);

// Runs the baseline until the device's clock stands: within 0.5 % over 5 readings, at least 0.3 s, at most 2 s. Returns
// the clock in MHz, absent when the side cannot go on.
std::optional<double> burn_in(Side& base, const Instrument& instrument, Clock& clock);

}  // namespace kbx::timing
