// SPDX-License-Identifier: Apache-2.0
#include "reduction.h"

namespace kbx::task_mse_loss {
namespace {

at::Tensor squared_error(const Args& in) {
  return (in.tensor("input") - in.tensor("target")).square();
}

Results slack(const Args& in) {
  const at::Tensor each = squared_error(in);
  return reduced_slack(each, each, in.text("reduction"));
}

Results mse(const Args& in) {
  const std::string reduction = in.text("reduction");
  const int64_t mode = reduction == "none"  ? at::Reduction::None
                       : reduction == "sum" ? at::Reduction::Sum
                                            : at::Reduction::Mean;
  return {at::mse_loss(in.tensor("input"), in.tensor("target"), mode)};
}

}  // namespace

KBX_TASK(Loss, mse_loss) {
  return {
      .signature = "mse_loss(input, target, reduction='mean')",
      .description = R"(Squared error (input - target)^2 of two float32 tensors of the same shape, element by element.
reduction='none' returns it as it is; 'sum' its sum over all elements and 'mean' that sum divided by their number, both
as a float32 tensor without dimensions (of no elements: 0 and NaN). Compute in float32, in any order of summation, not
in one chain when there are millions of elements. Either argument may be a strided view.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def mse_loss(input, target, reduction='mean'):
    return F.mse_loss(input, target, reduction=reduction)
)",
      .reference = mse,
      .cases =
          {
              normal_loss_case("ten", {10}),
              normal_loss_case("none", {3, 3}, {{"reduction", "none"}}),
              normal_loss_case("four dims", {2, 3, 8, 8}),
              normal_loss_case("mean", {64, 64}, {{"reduction", "mean"}}),
              normal_loss_case("sum", {61, 67}, {{"reduction", "sum"}}),
              outlier_loss_case("outliers, mean", {61, 67}, {{"reduction", "mean"}}),
              outlier_loss_case("outliers, sum", {64, 64}, {{"reduction", "sum"}}),
              outlier_loss_case("outliers, none", {37, 53}, {{"reduction", "none"}}),
              normal_loss_case("one element", {1}),
              normal_loss_case("a number", {}, {{"reduction", "sum"}}),
              normal_loss_case("no elements, sum", {0, 4}, {{"reduction", "sum"}}),
              normal_loss_case("no elements, mean", {0}),
              normal_loss_case("no elements, none", {0, 4}, {{"reduction", "none"}}),
              loss_case("input transposed", transposed(randn({21, 34}, at::kFloat)), randn({34, 21}, at::kFloat)),
              loss_case("target strided, none", randn({9, 33}, at::kFloat), strided(randn({9, 66}, at::kFloat), 1, 2),
                        {{"reduction", "none"}}),
              loss_case("close", full({1000}, 100, at::kFloat), randn({1000}, at::kFloat, 0.01, 100)),
          },
      .sizes = normal_loss_sizes(12, 23),
      .cost = loss_cost(3),
      .contract = {Relative{.scale = 1, .magnitude = slack, .floor = kSmallestNormal},
                   "a square is good to two spacings, and any order of adding them rounds like a random walk"},
  };
}

}  // namespace kbx::task_mse_loss
