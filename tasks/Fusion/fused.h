// SPDX-License-Identifier: Apache-2.0
// Small things that many fused tasks need.
#pragma once

#include "kbx/task/define.h"
#include "kbx/task/rounding.h"

namespace kbx {

// The arguments of a case and those that it adds.
inline ArgRecipes with(ArgRecipes args, ArgRecipes more) {
  for (auto& item : more) args.push_back(std::move(item));
  return args;
}

// Floating arguments in double, the others as they are.
inline Args in_double(const Args& in) {
  return in.map_tensors([](const at::Tensor& t) { return t.is_floating_point() ? t.to(at::kDouble) : t; });
}

}  // namespace kbx
