// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_abs {

KBX_TASK(Math, abs) {
  return {
      .signature = "abs(input_tensor, out=None)",
      .description = R"(Absolute value of every element of a float32 tensor of any shape, exactly: the sign is cleared
and nothing else changes, denormals included; infinities give +inf, NaN gives NaN.
out: a float32 tensor of the input's shape, possibly not contiguous, that receives the result and is returned. Without
it a new tensor of the input's shape and dtype is returned.)",
      .snippet = R"(import torch


def abs(input_tensor, out=None):
    return torch.abs(input_tensor, out=out)
)",
      .reference = [](const Args& in) { return deliver(in, "out", at::abs(in.tensor("input_tensor"))); },
      .cases = elementwise_cases("input_tensor", at::kFloat) + out_cases("input_tensor", "out", at::kFloat) +
               Cases{
                   {"signs", {{"input_tensor", values({-1, 2, -3}, at::kFloat)}}},
                   {"zeros", {{"input_tensor", values({0.0, -0.0, 0.0}, at::kFloat)}}},
                   {"large and small", {{"input_tensor", values({-1e10, 1e10, -1e-10}, at::kFloat)}}},
                   {"vector", {{"input_tensor", randn({1024}, at::kFloat)}}},
                   {"outliers", {{"input_tensor", outliers({64, 64}, at::kFloat, 0.01, 10)}}},
               },
      // Of both signs: on positive values alone it is a copy.
      .sizes = power_sizes("input_tensor", at::kFloat, 12, 27, {.low = -1, .high = 1}),
      .cost = streaming_cost({"input_tensor"}, 1),
      .contract = {Exact{}, "clearing a sign rounds nothing"},
      .mutates = {"out"},
  };
}

}  // namespace kbx::task_abs
