// SPDX-License-Identifier: Apache-2.0
#include "reduction.h"

namespace kbx::task_smooth_l1_loss {
namespace {

at::Tensor smooth_l1(const Args& in, int64_t mode) {
  return at::smooth_l1_loss(in.tensor("input"), in.tensor("target"), mode, in.number("beta"));
}

Results slack(const Args& in) {
  const at::Tensor each = smooth_l1(in, at::Reduction::None);
  return reduced_slack(each, each, in.text("reduction"));
}

Results loss(const Args& in) {
  const std::string reduction = in.text("reduction");
  return {smooth_l1(in, reduction == "none"  ? at::Reduction::None
                        : reduction == "sum" ? at::Reduction::Sum
                                             : at::Reduction::Mean)};
}

}  // namespace

KBX_TASK(Loss, smooth_l1_loss) {
  return {
      .signature = "smooth_l1_loss(input, target, beta=1.0, reduction='mean')",
      .description = R"(Smooth L1 (Huber-like) loss of two float32 tensors of the same shape, with d = input - target:
0.5 d^2 / beta where |d| < beta, |d| - 0.5 beta elsewhere, element by element. beta is a Python number >= 0; beta = 0 is
plain |d|. reduction='none' returns it as it is; 'sum' its sum over all elements and 'mean' that sum divided by their
number, both as a float32 tensor without dimensions (of no elements: 0 and NaN). Compute in float32, in any order of
summation, not in one chain when there are millions of elements. Either argument may be a strided view.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def smooth_l1_loss(input, target, beta=1.0, reduction='mean'):
    return F.smooth_l1_loss(input, target, beta=beta, reduction=reduction)
)",
      .reference = loss,
      .cases =
          {
              normal_loss_case("mean", {32}),
              normal_loss_case("beta 0.5", {32}, {{"beta", 0.5}}),
              normal_loss_case("none", {4, 8}, {{"reduction", "none"}}),
              normal_loss_case("both given", {4096}, {{"beta", 1.0}, {"reduction", "mean"}}),
              normal_loss_case("beta 0.5, sum", {4096}, {{"beta", 0.5}, {"reduction", "sum"}}),
              normal_loss_case("beta 0.1, none", {32, 128}, {{"beta", 0.1}, {"reduction", "none"}}),
              outlier_loss_case("outliers, mean", {61, 67}, {{"beta", 1.0}, {"reduction", "mean"}}),
              outlier_loss_case("outliers, beta 0.5, sum", {4096}, {{"beta", 0.5}, {"reduction", "sum"}}),
              outlier_loss_case("outliers, beta 0.1, none", {31, 127}, {{"beta", 0.1}, {"reduction", "none"}}),
              normal_loss_case("beta 3", {7, 11, 13}, {{"beta", 3.0}}),
              normal_loss_case("beta 0", {257}, {{"beta", 0.0}, {"reduction", "none"}}),
              normal_loss_case("beta 0, mean", {257}, {{"beta", 0.0}}),
              normal_loss_case("one element", {1}),
              normal_loss_case("no elements, sum", {0, 4}, {{"reduction", "sum"}}),
              normal_loss_case("no elements, mean", {0}),
              loss_case("at the seam", values({1, -1, 0.5, -0.5, 0, 2}, at::kFloat), full({6}, 0, at::kFloat),
                        {{"reduction", "none"}}),
              loss_case("input transposed", transposed(randn({21, 34}, at::kFloat)), randn({34, 21}, at::kFloat)),
          },
      .sizes = normal_loss_sizes(12, 24),
      .cost = loss_cost(6),
      .contract = {Relative{.scale = 1, .magnitude = slack, .floor = kSmallestNormal},
                   "the difference, the square and a fast division by beta are good to four spacings together; beyond "
                   "the seam the loss is at least half of |d|. Any order of adding them rounds like a random walk"},
  };
}

}  // namespace kbx::task_smooth_l1_loss
