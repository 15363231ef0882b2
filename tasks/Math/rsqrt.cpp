// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_rsqrt {

KBX_TASK(Math, rsqrt) {
  return {
      .signature = "rsqrt(input, out=None)",
      .description = R"(y = 1 / sqrt(x) of every element of a float32 tensor of any shape. +0 gives +inf, +inf gives 0,
negative values, -inf and NaN give NaN. Inputs are zero or normal numbers. Compute in float32.
out: a float32 tensor of the input's shape, possibly not contiguous, that receives the result and is returned. Without
it a new tensor of the input's shape and dtype is returned.)",
      .snippet = R"(import torch


def rsqrt(input, out=None):
    return torch.rsqrt(input, out=out)
)",
      .reference = [](const Args& in) { return deliver(in, "out", at::rsqrt(in.tensor("input"))); },
      .cases = elementwise_cases("input", at::kFloat, {.low = 1e-3, .high = 10, .specials = false}) +
               out_cases("input", "out", at::kFloat, {.low = 0.01, .high = 5}) +
               Cases{
                   {"squares", {{"input", values({4, 16, 25}, at::kFloat)}}},
                   {"zero", {{"input", values({0, 1, 4}, at::kFloat)}}},
                   {"negative", {{"input", values({-1, 4, 9}, at::kFloat)}}},
                   {"zeros", {{"input", full({3}, 0, at::kFloat)}}},
                   {"wide", {{"input", values({2e-38, 1e-20, 1e-3, 1e3, 1e20, 3e38}, at::kFloat)}}},
                   {"specials", {{"input", values({INFINITY, -INFINITY, NAN}, at::kFloat)}}},
                   {"normal, positive", {{"input", folded(randn({64, 64}, at::kFloat), 1e-3)}}},
               },
      .sizes = power_sizes("input", at::kFloat, 12, 27, {.low = 1e-6, .high = 1}),
      .cost = streaming_cost({"input"}, 2),
      .contract = {Relative{.ulps = 4},
                   "the fast reciprocal root is good to a spacing, a fast root and a fast division together to three; "
                   "half types are off by 2^-12"},
      .mutates = {"out"},
  };
}

}  // namespace kbx::task_rsqrt
