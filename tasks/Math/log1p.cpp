// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_log1p {

KBX_TASK(Math, log1p) {
  return {
      .signature = "log1p(input, out=None)",
      .description = R"(y = ln(1 + x) of every element of a float32 tensor of any shape. x = -1 gives -inf, x < -1 gives
NaN, +inf gives +inf, NaN gives NaN. Compute in float32: 4 spacings plus an absolute 1e-6 are allowed, so 1 + x may be
rounded before the logarithm is taken.
out: a float32 tensor of the input's shape, possibly not contiguous, that receives the result and is returned. Without
it a new tensor of the input's shape and dtype is returned.)",
      .snippet = R"(import torch


def log1p(input, out=None):
    return torch.log1p(input, out=out)
)",
      .reference = [](const Args& in) { return deliver(in, "out", at::log1p(in.tensor("input"))); },
      .cases = elementwise_cases("input", at::kFloat, {.low = -0.9, .high = 10, .specials = false}) +
               out_cases("input", "out", at::kFloat, {.low = 0, .high = 5}) +
               Cases{
                   {"small positive", {{"input", values({0.1, 0.2, 0.3}, at::kFloat)}}},
                   {"up to one", {{"input", values({0, 0.5, 1}, at::kFloat)}}},
                   {"small negative", {{"input", values({-0.1, -0.2, -0.3}, at::kFloat)}}},
                   {"integers", {{"input", values({1, 2, 3, 4, 5}, at::kFloat)}}},
                   {"near minus one", {{"input", values({-0.99, -0.9999, -0.999999, -0.99999994}, at::kFloat)}}},
                   {"wide", {{"input", values({0.0, 1e-30, 1e-5, 1e5, 1e20, 3e38}, at::kFloat)}}},
                   {"the edges of its domain", {{"input", values({-1, -1.5, -INFINITY, INFINITY, NAN}, at::kFloat)}}},
                   {"normal, clamped", {{"input", clamped(randn({64, 64}, at::kFloat), -0.9, 10)}}},
               },
      .sizes = power_sizes("input", at::kFloat, 12, 27, {.low = -0.9, .high = 10}),
      .cost = streaming_cost({"input"}, 10),
      .contract = {Relative{.ulps = 4, .floor = 1e-6},
                   "rounding 1 + x moves the result by 2^-24 absolutely and the fast logarithm is good to 2^-21.4 "
                   "absolutely near one, two spacings elsewhere; half types are off by 2^-12"},
      .mutates = {"out"},
  };
}

}  // namespace kbx::task_log1p
