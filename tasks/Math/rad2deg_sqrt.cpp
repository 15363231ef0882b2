// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_rad2deg_sqrt {

KBX_TASK(Math, rad2deg_sqrt) {
  return {
      .signature = "rad2deg_sqrt(input)",
      .description = R"(Two results from one float32 tensor of any shape, element by element: (x * 180 / pi, sqrt(x)).
sqrt gives NaN for negative values and -inf, +inf for +inf, zero for either zero; the degrees keep their sign and
infinities. NaN gives NaN in both. Inputs are zero or normal numbers. Compute in float32.
Returns a tuple of two new tensors of the shape and dtype of the input, which may be any strided view.)",
      .snippet = R"(import torch


def rad2deg_sqrt(input):
    return torch.rad2deg(input), torch.sqrt(input)
)",
      .reference = [](const Args& in) -> Results {
        const at::Tensor x = in.tensor("input");
        return {at::rad2deg(x), at::sqrt(x)};
      },
      .cases = elementwise_cases("input", at::kFloat, {.low = 0, .high = 10, .specials = false}) +
               Cases{
                   {"angles", {{"input", values({3.142, 1.57, 0.785, 0}, at::kFloat)}}},
                   {"zero", {{"input", values({0}, at::kFloat)}}},
                   {"negative", {{"input", values({-3.142, -1.57, -0.785}, at::kFloat)}}},
                   {"both signs", {{"input", values({3.142, -1.57, 0.785, -0.785}, at::kFloat)}}},
                   {"wide", {{"input", values({2e-38, 1e-20, 1e-3, 1e3, 1e20, 5e36}, at::kFloat)}}},
                   {"specials", {{"input", values({-0.0, INFINITY, -INFINITY, NAN}, at::kFloat)}}},
                   {"normal", {{"input", randn({61, 67}, at::kFloat)}}},
                   {"normal, positive", {{"input", folded(outliers({64, 64}, at::kFloat, 0.01, 10), 1e-3)}}},
               },
      .sizes = power_sizes("input", at::kFloat, 12, 27, {.low = 0, .high = 10}),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input");
        return {
            .bytes_read = bytes_of(x), .bytes_written = 2 * bytes_of(x), .flops = 2 * static_cast<double>(x.numel())};
      },
      .contract = {Relative{.ulps = 4, .floor = kSmallestNormal},
                   "a rounded factor or a fast division by pi costs up to three spacings, the fast square root one; "
                   "half types are off by 2^-12"},
  };
}

}  // namespace kbx::task_rad2deg_sqrt
