// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>

#include "kbx/check/compare.h"
#include "kbx/check/elements.h"
#include "kbx/task/rounding.h"

namespace kbx {
namespace {

bool has_fractions(at::ScalarType dtype) {
  return c10::isFloatingType(dtype) || c10::isComplexType(dtype);
}

// The reference is as fine as the answer for float64 results, and wherever integers became float32 in both: then either
// may be off by the bound.
double width(const Output& output) {
  return spacing(output.expected.scalar_type()) < spacing(output.dtype) ? 1 : 2;
}

}  // namespace

Judgement compare_relative(const Output& output, const Relative& rule) {
  if (!has_fractions(output.dtype) || !has_fractions(output.expected.scalar_type())) return compare_exact(output, {});
  const double eps = spacing(output.dtype) * width(output);
  // Below the smallest normal number the spacing no longer shrinks.
  return compare_elements(output.path, output.got, output.expected, output.dtype,
                          {.relative = eps * rule.ulps,
                           .smallest = smallest_normal(output.dtype),
                           .absolute = rule.floor,
                           .scale = eps * rule.scale,
                           .magnitude = output.magnitude,
                           .largest = largest(output.dtype)});
}

// Steps are short sums of a few terms: no magnitudes.
Judgement compare_optimiser(const Output& output, const Optimiser& rule) {
  return compare_relative(output, {.ulps = rule.ulps, .scale = 0, .magnitude = nullptr, .floor = rule.floor});
}

}  // namespace kbx
