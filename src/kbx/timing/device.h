// SPDX-License-Identifier: Apache-2.0
// What timing needs of a device, of the work it times and of the host's clock; the core above knows nothing else. Judge
// and guest run the same loop over the same implementation (cuda_device.h), so that whatever is wrong with it is wrong
// for both sides alike; unit tests run it over a simulated one (fake_device.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace kbx::timing {

// One device with one stream: the framework's default stream, which is the one that a plain program uses.
class Device {
 public:
  virtual ~Device() = default;

  // Makes the events before anything is timed: making one later would cost inside of a sample.
  virtual void reserve(size_t marks) = 0;
  // Gives back what an access policy has pinned in the cache, as far as the device can be asked to. False: it cannot.
  virtual bool release_pinned_cache() = 0;

  // These only enqueue.
  virtual void flush() = 0;  // the cache holds nothing of the work's data afterwards
  virtual void spin(
      uint64_t cycles) = 0;    // keeps the stream busy for that many cycles of its clock, touching no memory
  virtual void nothing() = 0;  // a kernel that does nothing
  virtual void record(size_t mark) = 0;

  virtual bool reached(size_t mark) = 0;
  virtual void wait(size_t mark) = 0;
  virtual void synchronize() = 0;  // the whole device: streams that this loop knows nothing of too
  // Between two marks that were reached.
  virtual double elapsed_us(size_t from, size_t to) = 0;
};

// The work of one side at one size. All of it is enqueued on the device's stream.
class Workload {
 public:
  virtual ~Workload() = default;
  // Fresh content into the arguments, in stream: the work's data of a moment ago, and any answer made early, are gone.
  // Also poisons the result slot, so that work which is not done shows.
  virtual void refill(size_t input, size_t slot) = 0;
  virtual void call() = 0;
  // Copies the result out, right behind the mark that ends the sample: work that is done later misses it.
  virtual void keep(size_t slot) = 0;
};

// The host's monotonic clock.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual double now_us() = 0;
  virtual void pause_us(double duration) = 0;
};

class SystemClock : public Clock {
 public:
  double now_us() override;
  void pause_us(double duration) override;
};

}  // namespace kbx::timing
