// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_leaky_relu {

KBX_TASK(Activation, leaky_relu) {
  return {
      .signature = "leaky_relu(input, negative_slope=0.01, inplace=False)",
      .description = R"(Leaky rectified linear unit of every element of a float32 tensor of any shape: y = x where
x >= 0, y = negative_slope * x elsewhere; NaN stays NaN, and an infinity goes through the same rule. negative_slope is a
Python number, possibly 0, negative or above 1.
inplace=False returns a new tensor of the same shape and dtype and leaves the input as it was; inplace=True writes the
result into the input, which may be a view that is not contiguous, and returns it. Compute in float32.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def leaky_relu(input, negative_slope=0.01, inplace=False):
    return F.leaky_relu(input, negative_slope=negative_slope, inplace=inplace)
)",
      .reference = [](const Args& in) -> Results {
        at::Tensor x = in.tensor("input");
        const double slope = in.number("negative_slope");
        return {in.flag("inplace") ? at::leaky_relu_(x, slope) : at::leaky_relu(x, slope)};
      },
      .cases = elementwise_cases("input", at::kFloat) +
               Cases{
                   {"signs", {{"input", values({-1, 0, 1}, at::kFloat)}}},
                   {"slope 0.1", {{"input", values({-2, 0, 2}, at::kFloat)}, {"negative_slope", 0.1}}},
                   {"in place", {{"input", values({-3, 0, 3}, at::kFloat)}, {"inplace", true}}},
                   {"integers", {{"input", values({-4, -2, 0, 2, 4}, at::kFloat)}}},
                   {"slope above one", {{"input", randn({37, 53}, at::kFloat)}, {"negative_slope", 1.5}}},
                   {"negative slope", {{"input", randn({37, 53}, at::kFloat)}, {"negative_slope", -0.25}}},
                   {"slope zero", {{"input", randn({129}, at::kFloat)}, {"negative_slope", 0.0}}},
                   {"normal", {{"input", randn({64, 64}, at::kFloat)}, {"negative_slope", 0.1}, {"inplace", false}}},
                   {"outliers",
                    {{"input", outliers({64, 64}, at::kFloat, 0.01, 10)}, {"negative_slope", 0.1}, {"inplace", false}}},
                   {"in place, transposed",
                    {{"input", transposed(randn({19, 45}, at::kFloat))}, {"negative_slope", 0.3}, {"inplace", true}}},
               },
      // Of both signs: on positive values alone it is a copy.
      .sizes = power_sizes("input", at::kFloat, 12, 27, {.low = -1, .high = 1}),
      .cost = streaming_cost({"input"}, 1),
      .contract = {Relative{.ulps = 2, .floor = kSmallestNormal},
                   "the slope is rounded once to float32 and the product once: one spacing, doubled"},
      .mutates = {"input"},
  };
}

}  // namespace kbx::task_leaky_relu
