// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_sigmoid {

KBX_TASK(Activation, sigmoid) {
  return {
      .signature = "sigmoid(input, out=None)",
      .description = R"(Logistic function of every element of a float32 tensor of any shape: y = 1 / (1 + exp(-x)). -inf
gives 0, +inf gives 1, NaN gives NaN; exp must not overflow into NaN. Compute in float32: small results for negative x
are asked for with relative accuracy, down to 2^-126, below which zero is accepted.
out: a float32 tensor of the input's shape, possibly not contiguous, that receives the result and is returned. Without
it a new tensor of the input's shape and dtype is returned.)",
      .snippet = R"(import torch


def sigmoid(input, out=None):
    return torch.sigmoid(input, out=out)
)",
      .reference = [](const Args& in) { return deliver(in, "out", at::sigmoid(in.tensor("input"))); },
      .cases = elementwise_cases("input", at::kFloat) + out_cases("input", "out", at::kFloat) +
               Cases{
                   {"around zero", {{"input", values({0, 1, -1}, at::kFloat)}}},
                   {"halves", {{"input", values({0.5, -0.5, 2, -2}, at::kFloat)}}},
                   {"zeros", {{"input", full({3, 3}, 0, at::kFloat)}}},
                   {"tails", {{"input", values({-200, -100, -80, -20, 20, 80, 100, 200}, at::kFloat)}}},
                   {"wide", {{"input", uniform({61, 67}, at::kFloat, -85, 85)}}},
                   {"normal", {{"input", randn({64, 64}, at::kFloat)}}},
                   {"outliers", {{"input", outliers({64, 64}, at::kFloat, 0.01, 10)}}},
               },
      .sizes = power_sizes("input", at::kFloat),
      .cost = streaming_cost({"input"}, 4),
      .contract = {Relative{.ulps = 6,
                            .scale = 2,
                            // |x f'(x)|: what one relative rounding of x, or of x log2(e), makes of the result.
                            .magnitude = [](const Args& in) -> Results {
                              const at::Tensor x = in.tensor("input"), y = x.sigmoid();
                              return {(x * y * (1 - y)).abs().nan_to_num(0, 0, 0)};
                            },
                            .floor = kSmallestNormal},
                   "fast exponential and fast division are good to two spacings each, and the rounded product "
                   "x log2(e) moves the exponential by |x| more; half types are off by 2^-11"},
      .mutates = {"out"},
  };
}

}  // namespace kbx::task_sigmoid
