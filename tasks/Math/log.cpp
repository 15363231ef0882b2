// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_log {

KBX_TASK(Math, log) {
  return {
      .signature = "log(input, out=None)",
      .description = R"(Natural logarithm of every element of a float32 tensor of any shape. 0 gives -inf, negative
values and -inf give NaN, +inf gives +inf, NaN gives NaN. Inputs are zero or normal numbers. Compute in float32:
4 spacings plus an absolute 1e-6 are allowed.
out: a float32 tensor of the input's shape, possibly not contiguous, that receives the result and is returned. Without
it a new tensor of the input's shape and dtype is returned.)",
      .snippet = R"(import torch


def log(input, out=None):
    return torch.log(input, out=out)
)",
      .reference = [](const Args& in) { return deliver(in, "out", at::log(in.tensor("input"))); },
      .cases = elementwise_cases("input", at::kFloat, {.low = 1e-3, .high = 10, .specials = false}) +
               out_cases("input", "out", at::kFloat, {.low = 0.01, .high = 5}) +
               Cases{
                   {"integers", {{"input", values({1, 2, 3}, at::kFloat)}}},
                   {"zero", {{"input", values({0, 1, 2}, at::kFloat)}}},
                   {"negative", {{"input", values({-1, -2, -3}, at::kFloat)}}},
                   {"all signs", {{"input", values({-1, 0, 1}, at::kFloat)}}},
                   {"wide", {{"input", values({2e-38, 1e-20, 1e-3, 1e3, 1e20, 3e38}, at::kFloat)}}},
                   {"near one", {{"input", uniform({257}, at::kFloat, 0.99, 1.01)}}},
                   {"specials", {{"input", values({-0.0, INFINITY, -INFINITY, NAN}, at::kFloat)}}},
                   {"normal, positive", {{"input", folded(randn({64, 64}, at::kFloat), 1e-3)}}},
               },
      .sizes = power_sizes("input", at::kFloat, 12, 27, {.low = 1e-6, .high = 10}),
      .cost = streaming_cost({"input"}, 20),
      .contract = {Relative{.ulps = 4, .floor = 1e-6},
                   "the fast logarithm is good to 2^-21.4 absolutely near one and to two spacings elsewhere, and is "
                   "multiplied by a rounded ln(2); half types are off by 2^-12"},
      .mutates = {"out"},
  };
}

}  // namespace kbx::task_log
