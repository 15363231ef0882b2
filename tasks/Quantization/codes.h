// SPDX-License-Identifier: Apache-2.0
// Symmetric quantisation to whole numbers, in double: the ideal that an honest kernel reproduces within rounding.
#pragma once

#include "kbx/task/define.h"

namespace kbx {

// x is about codes * scale.
struct Codes {
  at::Tensor codes;
  at::Tensor scale;    // one number for all elements that share it; 0 where they are all 0
  at::Tensor unclear;  // the scale where x / scale is so near to a tie that the next code is right as well, else 0
};

// scale = largest magnitude over dims / top, codes = x / scale rounded to nearest, in -top .. top. A tie may go either
// way, so half to even and half away are both right, and so is all within margin of one: division and scale are
// rounded, in float32 or in float16.
inline Codes quantise(const at::Tensor& x, at::IntArrayRef dims, double top, double margin) {
  const at::Tensor wide = x.to(at::kDouble), scale = wide.abs().amax(dims, true) / top;
  const at::Tensor exact = wide / at::where(scale.eq(0), at::ones_like(scale), scale);
  const at::Tensor from_tie = (exact - exact.floor() - 0.5).abs();
  return {.codes = exact.round(), .scale = scale, .unclear = scale * from_tie.lt(margin).to(at::kDouble)};
}

// 127 codes and three float32 roundings of x / scale: 2.3e-5.
inline constexpr double kInt8Margin = 1e-4;
// 7 codes and float16 roundings of scale and quotient: 5e-3.
inline constexpr double kInt4Margin = 5e-3;

}  // namespace kbx
