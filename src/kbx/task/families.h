// SPDX-License-Identifier: Apache-2.0
// The usual cases, sizes and costs of families of tasks, so that a task's file holds only what is particular to it.
#pragma once

#include <string>
#include <vector>

#include "kbx/task/task.h"

namespace kbx {

// Where the values of an elementwise task are drawn from.
struct Domain {
  double low = -10;  // uniform in [low, high], and N(0,1) clamped into it
  double high = 10;
  bool specials = true;  // NaN, infinities, ±0, largest and smallest values are defined by the operation
};

// Cases of f(input): one element, empty, ragged (no power of two divides it), 2-d, 3-d, transposed, strided, special
// values. `name` is the tensor argument.
Cases elementwise_cases(const std::string& name, at::ScalarType dtype, Domain domain = {});
// Cases of f(input, other): equal shapes, broadcasting either way, a scalar tensor, transposed.
Cases binary_cases(const std::string& a, const std::string& b, at::ScalarType dtype, Domain of_a = {},
                   Domain of_b = {});

// 2^first .. 2^last elements, one size a power.
Sizes power_sizes(const std::string& name, at::ScalarType dtype, int first = 12, int last = 27, Domain domain = {});
// Both arguments of 2^first .. 2^last elements.
Sizes binary_power_sizes(const std::string& a, const std::string& b, at::ScalarType dtype, int first = 12,
                         int last = 27, Domain of_a = {}, Domain of_b = {});

// Every tensor of the arguments named is read once, every result written once, `flops` an element of the result.
std::function<Cost(const Args&)> streaming_cost(std::vector<std::string> reads, double flops_per_element);

double bytes_of(const at::Tensor& tensor);

}  // namespace kbx
