// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_fused_log_tanh {
namespace {

constexpr Domain kPositive = {.low = 0.05, .high = 8, .specials = false};

KBX_TASK(Fusion, fused_log_tanh) {
  return {
      .signature = "fused_log_tanh(input, out=None)",
      .description =
          R"(tanh(ln(x)), element by element, of a float32 tensor of any shape, which equals
(x^2 - 1) / (x^2 + 1). Every element is a positive normal number, +inf, which gives 1, or NaN, which gives NaN; large
ones must give 1 and not the NaN of inf / inf. Zero and negative elements are not asked for: a kernel may raise an
exception for them, but need not look.
out: a float32 tensor of the input's shape, possibly not contiguous, that receives the result and is returned. Without
it a new tensor is returned. Compute in float32: 6 spacings plus an absolute 2e-6 are allowed; tanh.approx, good to 11
bits, is not enough. The input may be any strided view.)",
      .snippet = R"(import torch


def fused_log_tanh(input, out=None):
    return torch.tanh(torch.log(input), out=out)
)",
      .reference = [](const Args& in) { return deliver(in, "out", at::tanh(at::log(in.tensor("input")))); },
      .cases =
          elementwise_cases("input", at::kFloat, kPositive) + out_cases("input", "out", at::kFloat, kPositive) +
          Cases{
              {"one, two, three", {{"input", values({1, 2, 3}, at::kFloat)}}},
              {"one, two, three into out", {{"input", values({1, 2, 3}, at::kFloat)}, {"out", empty({3}, at::kFloat)}}},
              {"small", {{"input", values({0.1, 0.01, 0.001}, at::kFloat)}}},
              {"around one", {{"input", uniform({517}, at::kFloat, 0.9, 1.1)}}},
              {"wide", {{"input", values({2e-38, 1e-20, 1e-4, 0.5, 50, 1e10, 2e19, 3e38}, at::kFloat)}}},
              {"infinity and NaN", {{"input", values({INFINITY, 1.5, NAN, 0.7}, at::kFloat)}}},
              {"normal", {{"input", folded(randn({4096}, at::kFloat), 0.1)}}},
              {"outliers", {{"input", folded(outliers({61, 67}, at::kFloat, 0.01, 10), 0.1)}}},
          },
      .sizes = power_sizes("input", at::kFloat, 12, 27, {.low = 1e-6, .high = 1}),
      .cost = streaming_cost({"input"}, 2),
      .contract = {Relative{.ulps = 6, .floor = 2e-6},
                   "the fast logarithm is good to 2^-21.4 absolutely and tanh "
                   "passes that on; tanh by exponentials "
                   "keeps 1e-6 near zero; tanh.approx (2^-11) and half types "
                   "are far beyond"},
      .mutates = {"out"},
  };
}

}  // namespace
}  // namespace kbx::task_fused_log_tanh
