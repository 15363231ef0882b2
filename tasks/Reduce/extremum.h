// SPDX-License-Identifier: Apache-2.0
// Indices of a largest or smallest element, judged by the values that they point at: where several are equal, each of
// their indices is right.
#pragma once

#include "kbx/task/define.h"

namespace kbx {

// best: the extreme values along dim, with the dimension kept.
inline std::vector<Bounded> points_at_best(const at::Tensor& x, const at::Tensor& best, int64_t dim, bool keepdim,
                                           const Value& result) {
  at::Tensor index = result.as<at::Tensor>()->to(at::kLong);
  if (!keepdim) index = index.unsqueeze(dim);
  const at::Tensor outside = (index < 0).logical_or(index >= x.size(dim));
  const at::Tensor picked = x.gather(dim, index.masked_fill(outside, 0));
  const auto count = [](const at::Tensor& mask) { return static_cast<double>(mask.sum().item<int64_t>()); };
  return {{"indices outside the dimension", count(outside), 0},
          {"indices that point at another value", count(picked != best), 0}};
}

}  // namespace kbx
