// SPDX-License-Identifier: Apache-2.0
// The judgement of dropout, which several tasks end with: every element is zero or the kept value, as many are dropped
// as chance allows, and where they fall follows no pattern.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "kbx/task/contract.h"

namespace kbx {

// Whether dropout draws at all: training, and p strictly between 0 and 1.
bool dropout_draws(bool training, double p);

// got: the result. kept: what an element is when it is not dropped, already scaled by 1 / (1 - p); slack: how far it
// may be off. All in double and of one shape. p = 0 keeps every element, p = 1 drops every one. Elements whose kept
// value lies within its slack of zero tell nothing about the mask and are left out of its tests.
std::vector<Bounded> dropout_bounds(const at::Tensor& got, const at::Tensor& kept, const at::Tensor& slack, double p);

}  // namespace kbx
