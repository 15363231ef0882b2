// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/residual.h"

#include <ATen/ATen.h>

#include <cmath>
#include <utility>

#include "kbx/task/rounding.h"

namespace kbx {
namespace {

double largest(const at::Tensor& values) {
  return values.numel() == 0 ? 0 : values.max().item<double>();
}

}  // namespace

double stable_bound(int64_t n, at::ScalarType dtype) {
  return 16 * std::sqrt(static_cast<double>(n + 1)) * spacing(dtype);
}

at::Tensor frobenius(const at::Tensor& matrices) {
  return matrices.abs().square().sum({-2, -1}).sqrt();
}

Bounded small(std::string quantity, const at::Tensor& residual, const at::Tensor& scale, double bound) {
  const at::Tensor error = frobenius(residual);
  const at::Tensor ratio = at::where(error.eq(0), error, error / scale);
  return {.quantity = std::move(quantity), .error = largest(ratio), .bound = bound};
}

Bounded orthonormal(std::string quantity, const at::Tensor& q, double bound) {
  const at::Tensor unit = at::eye(q.size(-1), q.options());
  return small(std::move(quantity), at::matmul(q.mH(), q) - unit, frobenius(unit), bound);
}

Bounded zero(std::string quantity, const at::Tensor& elements) {
  return {.quantity = std::move(quantity), .error = largest(elements.abs()), .bound = 0};
}

}  // namespace kbx
