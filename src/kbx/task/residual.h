// SPDX-License-Identifier: Apache-2.0
// Bounds for decompositions and solvers, which have many right answers: the equations that each of them fulfils, matrix
// by matrix of a batch, in Frobenius norms. Backward stable algorithms stay below a small multiple of n spacings.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "kbx/task/contract.h"

namespace kbx {

// How many spacings a backward stable algorithm may lose on matrices whose larger side is n: 4 (n + 1), twice what the
// usual analyses give for Householder and for pivoted elimination. TF32 products lose 2000 and more.
double stable_bound(int64_t n, at::ScalarType dtype);

// Largest |residual| / |scale| over the batch, in Frobenius norms of the last two dimensions. Zero over zero is zero.
Bounded small(std::string quantity, const at::Tensor& residual, const at::Tensor& scale, double bound);

// |Q^H Q - I|: orthonormal columns.
Bounded orthonormal(std::string quantity, const at::Tensor& q, double bound);

// Every element is zero, exactly.
Bounded zero(std::string quantity, const at::Tensor& elements);

}  // namespace kbx
