// SPDX-License-Identifier: Apache-2.0
// reduction='none', 'mean', 'sum' (and kl_div's 'batchmean'), which losses end with.
#pragma once

#include "kbx/task/define.h"
#include "kbx/task/rounding.h"

namespace kbx {

// The loss of each element, reduced as the argument says. Without elements the mean is NaN and the sum is 0.
inline at::Tensor reduced(const at::Tensor& each, const std::string& reduction) {
  if (reduction == "none") return each;
  if (reduction == "mean") return each.mean();
  if (reduction == "batchmean") return each.sum() / each.size(0);
  return each.sum();
}

// The slack of a reduced loss, whose elements are good to a few spacings of `magnitude`.
inline Results reduced_slack(const at::Tensor& each, const at::Tensor& magnitude, const std::string& reduction) {
  const at::Tensor sum = reduced(each, reduction);
  const at::Tensor slack = sum_slack(sum, reduced(magnitude, reduction), terms(each, sum));
  return {slack.nan_to_num(0, 0, 0)};
}

// n elements of each argument are read and one is written, or n where nothing is reduced.
inline std::function<Cost(const Args&)> loss_cost(double flops_per_element) {
  return [flops_per_element](const Args& in) -> Cost {
    const at::Tensor x = in.tensor("input");
    const double n = static_cast<double>(x.numel());
    const double results = in.text("reduction") == "none" ? n : 1;
    return {.bytes_read = bytes_of(x) + bytes_of(in.tensor("target")),
            .bytes_written = results * static_cast<double>(x.element_size()),
            .flops = flops_per_element * n};
  };
}

// input and target of one shape and kind, with further arguments.
inline Case loss_case(std::string label, const Recipe& input, const Recipe& target, ArgRecipes more = {}) {
  ArgRecipes args{{"input", input}, {"target", target}};
  args.insert(args.end(), more.begin(), more.end());
  return {std::move(label), std::move(args)};
}

inline Case normal_loss_case(std::string label, const Shape& shape, ArgRecipes more = {}) {
  return loss_case(std::move(label), randn(shape, at::kFloat), randn(shape, at::kFloat), std::move(more));
}

inline Case outlier_loss_case(std::string label, const Shape& shape, ArgRecipes more = {}) {
  return loss_case(std::move(label), outliers(shape, at::kFloat, 0.01, 10), outliers(shape, at::kFloat, 0.01, 10),
                   std::move(more));
}

// Pairs of N(0,1) vectors of 2^first .. 2^last elements.
inline Sizes normal_loss_sizes(int first, int last) {
  Sizes sizes;
  for (int i = first; i <= last; ++i)
    sizes.push_back({"2^" + std::to_string(i),
                     {{"input", randn({1LL << i}, at::kFloat)}, {"target", randn({1LL << i}, at::kFloat)}}});
  return sizes;
}

}  // namespace kbx
