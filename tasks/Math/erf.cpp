// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_erf {

KBX_TASK(Math, erf) {
  return {
      .signature = "erf(input_tensor)",
      .description = R"(Error function of every element of a float32 tensor of any shape:
erf(x) = 2/sqrt(pi) * integral of exp(-t^2) from 0 to x. -inf gives -1, +inf gives 1, NaN gives NaN. Compute in float32:
an absolute error of 1e-6 is allowed, the range of the function being [-1, 1].
Returns a new tensor of the shape and dtype of the input, which may be any strided view.)",
      .snippet = R"(import torch


def erf(input_tensor):
    return torch.special.erf(input_tensor)
)",
      .reference = [](const Args& in) -> Results { return {at::erf(in.tensor("input_tensor"))}; },
      .cases = elementwise_cases("input_tensor", at::kFloat) +
               Cases{
                   {"one half", {{"input_tensor", values({0.5}, at::kFloat)}}},
                   {"three values", {{"input_tensor", values({0.5, -1, 2}, at::kFloat)}}},
                   {"tails", {{"input_tensor", values({10, -10}, at::kFloat)}}},
                   {"zero", {{"input_tensor", values({0}, at::kFloat)}}},
                   {"where it bends", {{"input_tensor", uniform({1024}, at::kFloat, -4.5, 4.5)}}},
                   {"normal", {{"input_tensor", randn({64, 64}, at::kFloat)}}},
                   {"outliers", {{"input_tensor", outliers({64, 64}, at::kFloat, 0.01, 10)}}},
               },
      // Beyond 4 the answer is 1: the sweep covers both branches that implementations have.
      .sizes = power_sizes("input_tensor", at::kFloat, 12, 27, {.low = -4, .high = 4}),
      .cost = streaming_cost({"input_tensor"}, 10),
      .contract =
          {Relative{.floor = 1e-6},
           "eight spacings at one: the usual rational approximation is good to 1.5e-7 and its evaluation in float32 "
           "to 6e-7, as measured; half types are off by 2^-12"},
  };
}

}  // namespace kbx::task_erf
