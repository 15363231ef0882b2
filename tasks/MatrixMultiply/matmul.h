// SPDX-License-Identifier: Apache-2.0
// What the products of matrices share: square sizes, cost and bound.
#pragma once

#include "kbx/task/define.h"
#include "kbx/task/rounding.h"

namespace kbx {

// 256, 384, ... 4096: square matrices under each of the names.
inline Sizes square_sizes(const std::vector<std::string>& names, at::ScalarType dtype) {
  Sizes out;
  for (int64_t i = 2; i <= 32; ++i) {
    const int64_t n = 128 * i;
    ArgRecipes args;
    for (const std::string& name : names) args.emplace_back(name, randn({n, n}, dtype));
    out.push_back({std::to_string(n) + "x" + std::to_string(n), std::move(args)});
  }
  return out;
}

// matmul of the two arguments named.
inline std::function<Cost(const Args&)> matmul_cost(const std::string& left, const std::string& right) {
  return [left, right](const Args& in) -> Cost {
    const at::Tensor a = in.tensor(left), b = in.tensor(right);
    const double k = static_cast<double>(a.size(-1));
    // a's rows times b's columns; where only b has a batch, every matrix of it meets all rows.
    double outputs = 1;
    for (int64_t d = 0; d < a.dim() - 1; ++d) outputs *= static_cast<double>(a.size(d));
    if (b.dim() > 1) outputs *= static_cast<double>(b.size(-1));
    for (int64_t d = 0; d < b.dim() - std::max<int64_t>(a.dim(), 2); ++d) outputs *= static_cast<double>(b.size(d));
    return {.bytes_read = bytes_of(a) + bytes_of(b),
            .bytes_written = outputs * static_cast<double>(a.element_size()),
            .flops = 2 * outputs * k,
            .matrix_flops = 2 * outputs * k};
  };
}

inline Relative product_rule(const std::string& left, const std::string& right) {
  return {.ulps = 0.5, .scale = 1, .magnitude = [left, right](const Args& in) -> Results {
            return {product_slack(in.tensor(left), in.tensor(right))};
          }};
}

}  // namespace kbx
