// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/rounding.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "kbx/base/error.h"

namespace kbx {

namespace {

struct Format {
  double spacing, largest, smallest_normal;
};

Format format_of(at::ScalarType dtype) {
  switch (c10::toRealValueType(dtype)) {
    case at::kDouble:
      return {0x1p-52, 0x1.fffffffffffffp1023, 0x1p-1022};
    case at::kFloat:
      return {0x1p-23, 0x1.fffffep127, 0x1p-126};
    case at::kHalf:
      return {0x1p-10, 0x1.ffcp15, 0x1p-14};
    case at::kBFloat16:
      return {0x1p-7, 0x1.fep127, 0x1p-126};
    default:
      throw Error(ErrorKind::kEnvironment, std::string(c10::toString(dtype)) + " is no floating type of ours");
  }
}

}  // namespace

double spacing(at::ScalarType dtype) { return format_of(dtype).spacing; }
double largest(at::ScalarType dtype) { return format_of(dtype).largest; }
double smallest_normal(at::ScalarType dtype) { return format_of(dtype).smallest_normal; }

double accumulation_share(at::ScalarType dtype) {
  return std::min(1.0, spacing(at::kFloat) / spacing(dtype));
}

at::Tensor sum_slack(const at::Tensor& sum, const at::Tensor& absolute, int64_t terms, double each) {
  const double chain = std::min(static_cast<double>(terms), 0x1p17);
  return sum.abs() * (2 * std::sqrt(chain)) + absolute * each;
}

at::Tensor product_slack(const at::Tensor& a, const at::Tensor& b, double each) {
  const at::Tensor x = a.to(at::kDouble), y = b.to(at::kDouble);
  const at::Tensor slack = sum_slack(at::matmul(x, y), at::matmul(x.abs(), y.abs()), x.size(-1), each);
  return slack * accumulation_share(a.scalar_type());
}

}  // namespace kbx
