// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_digamma {

KBX_TASK(Math, digamma) {
  return {
      .signature = "digamma(input_tensor)",
      .description = R"(Digamma function, the derivative of ln(Gamma(x)), of every element of a float32 tensor of any
shape. Positive x, from 0.01 up to 10^6, and negative x above -20 that are not integers occur, the latter by the
reflection psi(x) = psi(1 - x) - pi / tan(pi x); the poles at 0, -1, -2, ... are not asked for; +inf gives +inf, NaN
gives NaN. psi(x + 1) = psi(x) + 1/x leads to large x, where
psi(x) = ln(x) - 1/(2x) - 1/(12x^2) + 1/(120x^4) - 1/(252x^6) + ...
Compute in float32: 6 spacings of the result, an absolute 2e-6 (the function has zeros), and what moving x by two
spacings changes are allowed.
Returns a new tensor of the shape and dtype of the input, which may be any strided view.)",
      .snippet = R"(import torch


def digamma(input_tensor):
    return torch.special.digamma(input_tensor)
)",
      .reference = [](const Args& in) -> Results { return {at::digamma(in.tensor("input_tensor"))}; },
      .cases = elementwise_cases("input_tensor", at::kFloat, {.low = 0.1, .high = 10, .specials = false}) +
               Cases{
                   {"one", {{"input_tensor", values({1}, at::kFloat)}}},
                   {"one half", {{"input_tensor", values({0.5}, at::kFloat)}}},
                   {"integers", {{"input_tensor", values({1, 2, 3}, at::kFloat)}}},
                   {"halves", {{"input_tensor", values({1, 0.5, 2, 1.5}, at::kFloat)}}},
                   {"around its root", {{"input_tensor", uniform({129}, at::kFloat, 1.4, 1.53)}}},
                   {"wide", {{"input_tensor", values({0.01, 0.05, 50, 1e3, 1e6, INFINITY, NAN}, at::kFloat)}}},
                   {"negative",
                    {{"input_tensor",
                      apply(
                          uniform({257}, at::kFloat, 0.1, 0.9),
                          [](const at::Tensor& x) { return x - at::arange(257, x.options()).remainder(20) - 1; },
                          "minus 1 .. 20")}}},
                   {"normal, positive", {{"input_tensor", folded(randn({1024}, at::kFloat), 0.1)}}},
               },
      .sizes = power_sizes("input_tensor", at::kFloat, 12, 27, {.low = 1, .high = 2}),
      .cost = streaming_cost({"input_tensor"}, 40),
      .contract = {Relative{.ulps = 6,
                            .scale = 2,
                            // |x psi'(x)|: the condition of the poles and of the reflection.
                            .magnitude = [](const Args& in) -> Results {
                              const at::Tensor x = in.tensor("input_tensor");
                              return {(x * at::special_polygamma(1, x)).abs().nan_to_num(0, 0, 0)};
                            },
                            .floor = 2e-6},
                   "the recurrence adds up to ten terms of at most 2.5 in sum, some 16 roundings of half a spacing of "
                   "that, before the zeros at 1.46 and on the negative axis cancel them; half types are off by 2^-12"},
  };
}

}  // namespace kbx::task_digamma
