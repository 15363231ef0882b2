// SPDX-License-Identifier: Apache-2.0
// What the optimisers' steps share: parameters, gradients and states of one shape, updated in place.
#pragma once

#include "kbx/task/define.h"

namespace kbx {

// Vectors of 2^first .. 2^last elements: N(0,1) for the arguments of `drawn`, zeros for those of `zeros`.
inline Sizes step_sizes(const std::vector<std::string>& drawn, const std::vector<std::string>& zeros, int first,
                        int last, const ArgRecipes& more = {}) {
  Sizes out;
  for (int i = first; i <= last; ++i) {
    const Shape shape = {int64_t{1} << i};
    ArgRecipes args;
    for (const std::string& name : drawn) args.emplace_back(name, randn(shape, at::kFloat));
    for (const std::string& name : zeros) args.emplace_back(name, full(shape, 0, at::kFloat));
    args.insert(args.end(), more.begin(), more.end());
    out.push_back({"2^" + std::to_string(i), std::move(args)});
  }
  return out;
}

// Every tensor is read once, every one but the gradient written once.
inline std::function<Cost(const Args&)> step_cost(std::vector<std::string> states, double flops) {
  return [states = std::move(states), flops](const Args& in) -> Cost {
    const at::Tensor param = in.tensor("param");
    double kept = 1;
    for (const std::string& name : states) kept += in.has(name) ? 1 : 0;
    return {.bytes_read = (kept + 1) * bytes_of(param),
            .bytes_written = kept * bytes_of(param),
            .flops = flops * static_cast<double>(param.numel())};
  };
}

}  // namespace kbx
