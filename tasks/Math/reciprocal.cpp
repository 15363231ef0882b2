// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_reciprocal {

KBX_TASK(Math, reciprocal) {
  return {
      .signature = "reciprocal(input, out=None)",
      .description = R"(y = 1 / x of every element of a float32 tensor of any shape. A zero gives the infinity of its
sign, an infinity gives zero, NaN gives NaN. Inputs are zero or normal numbers; results below 2^-126 may be flushed to
zero. Compute in float32.
out: a float32 tensor of the input's shape, possibly not contiguous, that receives the result and is returned. Without
it a new tensor of the input's shape and dtype is returned.)",
      .snippet = R"(import torch


def reciprocal(input, out=None):
    return torch.reciprocal(input, out=out)
)",
      .reference = [](const Args& in) { return deliver(in, "out", at::reciprocal(in.tensor("input"))); },
      .cases = elementwise_cases("input", at::kFloat, {.specials = false}) +
               out_cases("input", "out", at::kFloat, {.low = 0.01, .high = 5}) +
               Cases{
                   {"both signs", {{"input", values({-0.4595, -2.1219, -1.4314, 0.7298}, at::kFloat)}}},
                   {"zero", {{"input", values({0, 1, -1, 2}, at::kFloat)}}},
                   {"large and small", {{"input", values({1e10, -1e10, 1e-10, -1e-10}, at::kFloat)}}},
                   {"ones", {{"input", full({4}, 1, at::kFloat)}}},
                   {"specials",
                    {{"input", values({-0.0, INFINITY, -INFINITY, NAN, 3.4e38, -3.4e38, 2e-38, -2e-38}, at::kFloat)}}},
                   {"normal, away from zero",
                    {{"input", apply(
                                   randn({64, 64}, at::kFloat),
                                   [](const at::Tensor& x) { return x.sign() * x.abs().clamp_min(1e-3); },
                                   "sign * max(|.|, 1e-3)")}}},
               },
      .sizes = power_sizes("input", at::kFloat, 12, 27, {.low = 1e-3, .high = 1}),
      .cost = streaming_cost({"input"}, 1),
      .contract = {Relative{.ulps = 3, .floor = kSmallestNormal},
                   "the fast division over the full range is good to two spacings; half types are off by 2^-12"},
      .mutates = {"out"},
  };
}

}  // namespace kbx::task_reciprocal
