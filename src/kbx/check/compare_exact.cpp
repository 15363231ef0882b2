// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>

#include "kbx/check/compare.h"
#include "kbx/check/elements.h"

namespace kbx {

// The reference is in double: what it copied is exact already, and a constant such as 0.1 becomes the dtype's.
Judgement compare_exact(const Output& output, const Exact& rule) {
  return compare_elements(output.path, output.got, output.expected.to(output.dtype), output.dtype,
                          {.signed_zero = rule.signed_zero});
}

}  // namespace kbx
