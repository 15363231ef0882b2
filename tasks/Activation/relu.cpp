// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_relu {

KBX_TASK(Activation, relu) {
  return {
      .signature = "relu(input, inplace=False)",
      .description = R"(Rectified linear unit of every element of a float32 tensor of any shape: y = max(x, 0). Positive
values and +inf come back bit for bit, negative ones and -inf give 0 (of either sign); NaN is not asked for.
inplace=False returns a new tensor of the same shape and dtype and leaves the input as it was; inplace=True writes the
result into the input, which may be a view that is not contiguous, and returns it.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def relu(input, inplace=False):
    return F.relu(input, inplace=inplace)
)",
      .reference = [](const Args& in) -> Results {
        at::Tensor x = in.tensor("input");
        return {in.flag("inplace") ? at::relu_(x) : at::relu(x)};
      },
      .cases = elementwise_cases("input", at::kFloat, {.specials = false}) +
               Cases{
                   {"signs", {{"input", values({-1, 0, 1}, at::kFloat)}}},
                   {"matrix of signs", {{"input", values({-1, 2, -3, 4, -5, 6}, {2, 3}, at::kFloat)}}},
                   {"in place", {{"input", values({-1, 0, 1}, at::kFloat)}, {"inplace", true}}},
                   {"in place, ragged", {{"input", randn({61, 67}, at::kFloat)}, {"inplace", true}}},
                   {"in place, transposed", {{"input", transposed(randn({19, 45}, at::kFloat))}, {"inplace", true}}},
                   {"in place, empty", {{"input", empty({0, 3}, at::kFloat)}, {"inplace", true}}},
                   {"extremes",
                    {{"input", values({-INFINITY, -3.4e38, -2e-38, -0.0, 0, 2e-38, 3.4e38, INFINITY}, at::kFloat)}}},
                   {"normal", {{"input", randn({64, 64}, at::kFloat)}}},
                   {"outliers", {{"input", outliers({64, 64}, at::kFloat, 0.01, 10)}}},
               },
      // Of both signs: on positive values alone relu is a copy.
      .sizes = power_sizes("input", at::kFloat, 12, 27, {.low = -1, .high = 1}),
      .cost = streaming_cost({"input"}, 1),
      .contract = {Exact{}, "every value of the answer is a value of the input or zero"},
      .mutates = {"input"},
  };
}

}  // namespace kbx::task_relu
