// SPDX-License-Identifier: Apache-2.0
// The usual cases, sizes and costs of families of tasks, so that a task's file holds only what is particular to it.
#pragma once

#include <string>
#include <string_view>
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

// Cases of f(input, out=): a contiguous and a transposed tensor to write into.
Cases out_cases(const std::string& name, const std::string& out, at::ScalarType dtype, Domain domain = {});

// Recipes that keep values in the domain of a function: |x| + shift, and x clamped to [low, high].
Recipe folded(Recipe inner, double shift = 0);
Recipe clamped(Recipe inner, double low, double high);

// 2^first .. 2^last elements, one size a power.
Sizes power_sizes(const std::string& name, at::ScalarType dtype, int first = 12, int last = 27, Domain domain = {});
// Both arguments of 2^first .. 2^last elements.
Sizes binary_power_sizes(const std::string& a, const std::string& b, at::ScalarType dtype, int first = 12,
                         int last = 27, Domain of_a = {}, Domain of_b = {});

// Every tensor of the arguments named is read once, every result written once, `flops` an element of the result.
std::function<Cost(const Args&)> streaming_cost(std::vector<std::string> reads, double flops_per_element);

// The tensor `from` is read once, a result of its element size (of the dtype asked for, where there is a dtype=) is
// written for each slice along dim= (None or none given: for all of it), `flops` an element that is read.
std::function<Cost(const Args&)> reduction_cost(std::string from, double flops_per_element);

double bytes_of(const at::Tensor& tensor);

// The result as out= wants it: copied into the tensor that the argument names and that tensor returned; where the call
// gives none, the result itself.
Results deliver(const Args& args, std::string_view out, const at::Tensor& result);

// The elements of `from` that make one element of `to`: the terms of a sum.
int64_t terms(const at::Tensor& from, const at::Tensor& to);

// The dtype in which a reference computes what is asked for in `dtype`: double for floating types, complex double for
// complex ones, the type itself for integers and bool. A reference widens dtype= arguments; eager takes them as given.
at::ScalarType widened(at::ScalarType dtype);

// Where and in which dtype a task makes a tensor that no argument brings along: dtype= or the fallback, on the device
// that the judge has set for this thread, which is the CPU unless it times a baseline elsewhere.
at::TensorOptions made_options(const Args& args, at::ScalarType fallback = at::kFloat);
at::Device& made_on();

// Below 2^-126 float32 kernels may flush to zero: Triton's library functions do.
inline constexpr double kSmallestNormal = 0x1p-126;

}  // namespace kbx
