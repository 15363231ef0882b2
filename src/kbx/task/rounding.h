// SPDX-License-Identifier: Apache-2.0
// How far honest arithmetic may be from the exact answer, where a sum or a product of matrices decides. Any order of
// summation and any algorithm in float32 fits; operands rounded to TF32, bfloat16 or float16 do not.
#pragma once

#include <ATen/core/Tensor.h>

namespace kbx {

// The spacing at one of the real type behind dtype: 2^-23 for float32 and complex64, 2^-10 for float16.
double spacing(at::ScalarType dtype);
// The largest finite and the smallest normal number of that type.
double largest(at::ScalarType dtype);
double smallest_normal(at::ScalarType dtype);

// float16 and bfloat16 results are accumulated in float32 and rounded once: what a float32 sum loses, in spacings of
// dtype. 1 for the types that accumulate in themselves.
double accumulation_share(at::ScalarType dtype);

// Slack of sums of `terms` terms, in spacings of the type they are added in:
//   2 sqrt(terms) |sum| + each * absolute,    absolute = the sums of the terms' magnitudes.
// A chain of additions rounds at partial sums. They grow towards the sum, which costs sqrt(terms) |sum| / 6 (standard
// deviation of independent roundings), and swing on the way, which costs a third of the magnitudes; six deviations and
// room for large terms make 2 and 8. Data around zero keeps the bound near 8 magnitudes however long the sum, where the
// error of TF32 operands has a standard deviation of 3670 / sqrt(terms) magnitudes: 325 at 128 terms, 57 at 4096. No
// kernel adds more than 2^17 terms in one chain. Tensors in double.
at::Tensor sum_slack(const at::Tensor& sum, const at::Tensor& absolute, int64_t terms, double each = 8);

// The same for matmul(a, b), with what its result's dtype adds: in spacings of a's dtype. a and b of any dtype.
at::Tensor product_slack(const at::Tensor& a, const at::Tensor& b, double each = 8);

}  // namespace kbx
