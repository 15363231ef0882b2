// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>

#include "kbx/check/compare.h"
#include "kbx/check/elements.h"

namespace kbx {
namespace {

// As published: complex types have no entry in its table, so they are compared for equality.
double tolerance(at::ScalarType dtype) {
  switch (dtype) {
    case at::kHalf:
    case at::kBFloat16:
      return 5e-3;
    case at::kFloat:
    case at::kDouble:
      return 1e-5;
    default:
      return 0;
  }
}

}  // namespace

Judgement compare_close(const Output& output) {
  const double t = tolerance(output.dtype);
  const at::Tensor& right = output.eager.defined() ? output.eager : output.expected;
  return compare_elements(output.path, output.got, right, output.dtype, {.relative = t, .absolute = t});
}

}  // namespace kbx
