// SPDX-License-Identifier: Apache-2.0
// The kernels of timing and calibration, as PTX text that the driver compiles for its card: no compiler and no CUDA
// header is needed, and every card from compute capability 8.0 on is served.
#pragma once

namespace kbx::timing {

// Entries, each on a grid of any size:
//   kbx_nothing()
//   kbx_spin(u64 cycles)              until the SM's clock has advanced by so many cycles
//   kbx_wait(u64 ns)                  until the card's wall clock has; of known length, for tests of the timing itself
//   kbx_read(u64 from, u64 n, u64 sink)     n units of 16 bytes
//   kbx_write(u64 to, u64 n, u32 seed)      bits without a pattern: zeros would cost less power, hence less time
//   kbx_copy(u64 to, u64 from, u64 n)
extern const char* const kKernelsPtx;

}  // namespace kbx::timing
