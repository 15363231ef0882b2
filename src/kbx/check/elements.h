// SPDX-License-Identifier: Apache-2.0
// The one loop over elements that every comparison goes through: in double, in parallel, by chunks, so that a tensor of
// 2^27 elements needs no second copy. A NaN never passes for a number, and nothing passes by a bound that is not
// finite.
#pragma once

#include <limits>
#include <string>

#include "kbx/check/check.h"

namespace kbx {

// |got - expected| <= relative * max(|expected|, smallest) + scale * magnitude + absolute, for finite expected values.
// Of complex numbers the modulus of the difference counts. Integers and bool have to be equal whatever stands here.
struct Allowance {
  double relative = 0;
  double smallest = 0;
  double absolute = 0;
  double scale = 1;
  at::Tensor magnitude = {};  // undefined: zero
  // Infinity is right as soon as the expected value, or its bound, reaches beyond this: the dtype ends there.
  double largest = std::numeric_limits<double>::infinity();
  bool signed_zero = false;
};

// got and expected of one shape. NaN is right where NaN is expected and nowhere else; an infinity where one of its sign
// is. A complex number is infinite when either part is (its sign is not compared), else NaN when either part is.
// dtype: what the values are printed as.
Judgement compare_elements(const std::string& path, const at::Tensor& got, const at::Tensor& expected,
                           at::ScalarType dtype, const Allowance& allowance);

// Values equal, NaN to NaN, -0 to 0; dtypes may differ.
bool same_values(const at::Tensor& a, const at::Tensor& b);

// The share of its bound that the worst element used up: what compares two passed judgements. 0 when nothing is known.
double strain(const Judgement& judgement);

}  // namespace kbx
