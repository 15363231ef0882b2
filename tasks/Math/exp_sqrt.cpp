// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_exp_sqrt {

KBX_TASK(Math, exp_sqrt) {
  return {
      .signature = "exp_sqrt(input, out=None)",
      .description = R"(y = sqrt(exp(x)) of every element of a float32 tensor of any shape: the exponential first, then
the square root; exp(x/2) is the same. Finite inputs lie in [-80, 80], where exp(x) neither overflows nor vanishes;
+inf gives +inf, -inf gives 0, NaN gives NaN. Compute in float32.
out: a float32 tensor of the input's shape, possibly not contiguous, that receives the result and is returned. Without
it a new tensor of the input's shape and dtype is returned.)",
      .snippet = R"(import torch


def exp_sqrt(input, out=None):
    result = torch.sqrt(torch.exp(input))
    return result if out is None else out.copy_(result)
)",
      .reference = [](const Args& in) { return deliver(in, "out", in.tensor("input").exp().sqrt()); },
      .cases = elementwise_cases("input", at::kFloat, {.specials = false}) + out_cases("input", "out", at::kFloat) +
               Cases{
                   {"positive", {{"input", values({1, 2, 3}, at::kFloat)}}},
                   {"negative", {{"input", values({-1, -2, -3}, at::kFloat)}}},
                   {"zeros", {{"input", full({3}, 0, at::kFloat)}}},
                   {"positive, into out", {{"input", values({1, 2, 3}, at::kFloat)}, {"out", empty({3}, at::kFloat)}}},
                   {"wide", {{"input", uniform({257}, at::kFloat, -80, 80)}}},
                   {"specials", {{"input", values({-0.0, INFINITY, -INFINITY, NAN}, at::kFloat)}}},
                   {"normal", {{"input", randn({64, 64}, at::kFloat)}}},
                   {"outliers, clamped", {{"input", clamped(outliers({61, 67}, at::kFloat, 0.01, 10), -10, 10)}}},
               },
      .sizes = power_sizes("input", at::kFloat),
      .cost = streaming_cost({"input"}, 6),
      .contract = {Relative{.ulps = 4,
                            .scale = 1,
                            .magnitude = [](const Args& in) -> Results {
                              const at::Tensor x = in.tensor("input");
                              return {(x.abs() * (x / 2).exp()).nan_to_num(0, 0, 0)};
                            },
                            .floor = kSmallestNormal},
                   "the exponential is good to two spacings and the product x log2(e) to half of one, which it turns "
                   "into |x| as many; the root halves both. Half types are off by 2^-12"},
      .mutates = {"out"},
  };
}

}  // namespace kbx::task_exp_sqrt
