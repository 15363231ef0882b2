// SPDX-License-Identifier: Apache-2.0
// Adaptive average pooling over the last two dimensions, to a size that an argument output_size gives.
#pragma once

#include "fused.h"

namespace kbx {

inline at::Tensor adaptive_pool(const at::Tensor& x, const Args& in) {
  return at::adaptive_avg_pool2d(x, in.integers("output_size", 2));
}

// Elements of the largest window.
inline int64_t adaptive_window(const at::Tensor& x, const Args& in) {
  const std::vector<int64_t> out = in.integers("output_size", 2);
  const auto side = [&](int64_t d) { return x.size(d) / std::max<int64_t>(out[static_cast<size_t>(d + 2)], 1) + 2; };
  return side(-2) * side(-1);
}

// A sum of the window, then a product with a rounded inverse or a fast division. In spacings; x in double.
inline at::Tensor adaptive_pool_slack(const at::Tensor& x, const Args& in) {
  const at::Tensor mean = adaptive_pool(x, in);
  return sum_slack(mean, adaptive_pool(x.abs(), in), adaptive_window(x, in), /*each=*/2) + mean.abs() * 2;
}

}  // namespace kbx
