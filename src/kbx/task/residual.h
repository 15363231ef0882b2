// SPDX-License-Identifier: Apache-2.0
// Bounds for decompositions and solvers, which have many right answers: the equations that each of them fulfils, matrix
// by matrix of a batch, in Frobenius norms. Backward stable algorithms stay below a small multiple of n spacings.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "kbx/task/contract.h"

namespace kbx {

// How many spacings a backward stable algorithm may lose, relative to norms, on matrices whose larger side is n:
// 16 sqrt(n + 1). Analyses give small multiples of n for the worst case; independent roundings add like a random walk.
// TF32 products lose some 2000.
double stable_bound(int64_t n, at::ScalarType dtype);

// Of each matrix of a batch: the square root of the sum of squares over the last two dimensions.
at::Tensor frobenius(const at::Tensor& matrices);

// The largest |residual| / scale over the batch, scale holding one number a matrix. Zero over zero is zero.
Bounded small(std::string quantity, const at::Tensor& residual, const at::Tensor& scale, double bound);

// |Q^H Q - I|: orthonormal columns.
Bounded orthonormal(std::string quantity, const at::Tensor& q, double bound);

// Every element is zero, exactly.
Bounded zero(std::string quantity, const at::Tensor& elements);

}  // namespace kbx
