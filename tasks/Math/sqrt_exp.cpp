// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_sqrt_exp {

KBX_TASK(Math, sqrt_exp) {
  return {
      .signature = "sqrt_exp(input, out=None)",
      .description = R"(y = exp(sqrt(x)) of every element of a float32 tensor of any shape: the square root first, then
the exponential. Negative x gives NaN, +inf gives +inf, NaN gives NaN. Compute in float32.
out: a float32 tensor of the input's shape, possibly not contiguous, that receives the result and is returned. Without
it a new tensor of the input's shape and dtype is returned.)",
      .snippet = R"(import torch


def sqrt_exp(input, out=None):
    return torch.exp(torch.sqrt(input, out=out), out=out)
)",
      .reference = [](const Args& in) { return deliver(in, "out", in.tensor("input").sqrt().exp()); },
      .cases = elementwise_cases("input", at::kFloat, {.low = 0, .high = 100, .specials = false}) +
               out_cases("input", "out", at::kFloat, {.low = 0, .high = 9}) +
               Cases{
                   {"squares", {{"input", values({0.25, 1, 4, 9}, at::kFloat)}}},
                   {"no elements", {{"input", empty({0}, at::kFloat)}}},
                   {"zeros", {{"input", full({3}, 0, at::kFloat)}}},
                   {"squares, into out",
                    {{"input", values({0.25, 1, 4, 9}, at::kFloat)}, {"out", full({4}, 0, at::kFloat)}}},
                   {"wide", {{"input", values({1e-30, 1e-10, 1e-3, 100, 1000, 7000}, at::kFloat)}}},
                   {"specials", {{"input", values({-0.0, -1, INFINITY, NAN, 1e30}, at::kFloat)}}},
                   {"normal, folded", {{"input", folded(randn({64, 64}, at::kFloat))}}},
                   {"outliers, into out",
                    {{"input", clamped(folded(outliers({61, 67}, at::kFloat, 0.01, 10)), 0, 100)},
                     {"out", empty({61, 67}, at::kFloat)}}},
               },
      .sizes = power_sizes("input", at::kFloat, 12, 27, {.low = 0, .high = 10}),
      .cost = streaming_cost({"input"}, 6),
      .contract =
          {Relative{.ulps = 4,
                    .scale = 2,
                    .magnitude = [](const Args& in) -> Results {
                      const at::Tensor root = in.tensor("input").sqrt();
                      return {(root * root.exp()).nan_to_num(0, 0, 0)};
                    }},
           "the root and its product with log2(e) are good to a spacing and a half, which the exponential turns "
           "into sqrt(x) as many relative ones; half types are off by 2^-12"},
      .mutates = {"out"},
  };
}

}  // namespace kbx::task_sqrt_exp
