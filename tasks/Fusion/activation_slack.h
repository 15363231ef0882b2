// SPDX-License-Identifier: Apache-2.0
// How float32 errors pass through activations. z is what the activation is applied to, slack how far z may be off; both
// and the result in double, errors in spacings at one.
#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace kbx {

// |gelu'| is below 1.13; the bracket 1 + erf or 1 + tanh keeps an absolute error of up to eight spacings, halved.
inline at::Tensor through_gelu(const at::Tensor& z, const at::Tensor& slack) {
  return slack * 1.13 + z.abs() * 4;
}

// tanh by exponentials cancels near zero and keeps an absolute error of about eight spacings.
inline at::Tensor through_tanh(const at::Tensor& z, const at::Tensor& slack) {
  const at::Tensor y = z.tanh();
  return slack * (1 - y.square()) + 8 + y.abs() * 6;
}

// y = 1 / (1 + exp(-z)): the fast exponential is good to |z| + 2 spacings, of which the share 1 - y arrives, the
// division to two more.
inline at::Tensor through_sigmoid(const at::Tensor& z, const at::Tensor& slack) {
  const at::Tensor y = z.sigmoid();
  return y * ((1 - y) * (slack + z.abs() + 2) + 3);
}

// y = z - max - log(sum exp(z - max)): every difference rounds in proportion to its terms, the exponentials to their
// distance from the largest besides, their sum to a chain's roundings, the fast logarithm to 2^-21.4.
inline at::Tensor through_log_softmax(const at::Tensor& z, const at::Tensor& slack, int64_t dim) {
  if (z.numel() == 0) return slack;
  const at::Tensor y = z.log_softmax(dim), p = y.exp(), largest = z.amax(dim, /*keepdim=*/true);
  const at::Tensor lse = z.logsumexp(dim, /*keepdim=*/true);
  const auto mean = [&](const at::Tensor& of) { return at::where(p.eq(0), 0, p * of).sum(dim, /*keepdim=*/true); };
  const double chain = 2 * std::sqrt(static_cast<double>(z.size(dim))) + 10;
  return slack + mean(slack) + mean(largest - z) + largest.abs() + lse.abs() * 2 + z.abs() + y.abs() + chain;
}

// z, or alpha (exp(z) - 1) below zero, which keeps an absolute error of up to four spacings.
inline at::Tensor through_elu(const at::Tensor& z, const at::Tensor& slack, double alpha) {
  return slack * std::max(1.0, std::abs(alpha)) + at::where(z.gt(0), z.abs(), 4 * std::abs(alpha));
}

}  // namespace kbx
