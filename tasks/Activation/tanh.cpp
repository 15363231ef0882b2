// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_tanh {

KBX_TASK(Activation, tanh) {
  return {
      .signature = "tanh(input_tensor, out_tensor=None)",
      .description = R"(Hyperbolic tangent of every element of a float32 tensor of any shape. -inf gives -1, +inf gives
1, NaN gives NaN; large |x| must give -1 or 1 and not the NaN of inf / inf. Compute in float32. Results may be off by
6 spacings of float32 plus an absolute 1e-6, which allows 2 sigmoid(2x) - 1; the processor's tanh.approx, good to 11
bits, is not enough.
out_tensor: a float32 tensor of the input's shape, possibly not contiguous, that receives the result and is returned.
Without it a new tensor of the input's shape and dtype is returned.)",
      .snippet = R"(import torch


def tanh(input_tensor, out_tensor=None):
    return torch.tanh(input_tensor, out=out_tensor)
)",
      .reference = [](const Args& in) { return deliver(in, "out_tensor", at::tanh(in.tensor("input_tensor"))); },
      .cases = elementwise_cases("input_tensor", at::kFloat) + out_cases("input_tensor", "out_tensor", at::kFloat) +
               Cases{
                   {"halves", {{"input_tensor", values({0, 1, -1, 0.5, -0.5}, at::kFloat)}}},
                   {"matrix", {{"input_tensor", values({0, 1, -1, 0.5}, {2, 2}, at::kFloat)}}},
                   {"no elements", {{"input_tensor", empty({0}, at::kFloat)}}},
                   {"tails", {{"input_tensor", values({-1e4, -100, -45, -9, 9, 45, 100, 1e4}, at::kFloat)}}},
                   {"normal", {{"input_tensor", randn({100, 100}, at::kFloat)}}},
                   {"outliers", {{"input_tensor", outliers({64, 64}, at::kFloat, 0.01, 10)}}},
               },
      .sizes = power_sizes("input_tensor", at::kFloat, 12, 27, {.low = -4, .high = 4}),
      .cost = streaming_cost({"input_tensor"}, 1),
      .contract = {Relative{.ulps = 6, .floor = 1e-6},
                   "2 sigmoid(2x) - 1 and (e^2x - 1) / (e^2x + 1) cancel near zero and keep an absolute error of about "
                   "8 spacings at one, 1e-6; tanh.approx (2^-11) and half types are far beyond"},
      .mutates = {"out_tensor"},
  };
}

}  // namespace kbx::task_tanh
