// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_erfc_sqrt {

KBX_TASK(Math, erfc_sqrt) {
  return {
      .signature = "erfc_sqrt(input)",
      .description = R"(Two results from one float32 tensor of any shape, element by element: (erfc(x), sqrt(x)), where
erfc(x) = 1 - erf(x) is the complementary error function; -inf gives 2, +inf gives 0. sqrt gives NaN for negative values
and -inf, +inf for +inf. NaN gives NaN in both. Inputs are zero or normal numbers. Compute in float32; erfc may be off
by an absolute 1e-6, so it may be formed as 1 - erf(x).
Returns a tuple of two new tensors of the shape and dtype of the input, which may be any strided view.)",
      .snippet = R"(import torch


def erfc_sqrt(input):
    return torch.special.erfc(input), torch.sqrt(input)
)",
      .reference = [](const Args& in) -> Results {
        const at::Tensor x = in.tensor("input");
        return {at::erfc(x), at::sqrt(x)};
      },
      .cases = elementwise_cases("input", at::kFloat, {.low = 0, .high = 6, .specials = false}) +
               Cases{
                   {"integers", {{"input", values({0, 1, 2}, at::kFloat)}}},
                   {"negative", {{"input", values({-1, -2, -3}, at::kFloat)}}},
                   {"all signs", {{"input", values({-1, 0, 1}, at::kFloat)}}},
                   {"zeros", {{"input", full({3}, 0, at::kFloat)}}},
                   {"wide", {{"input", values({2e-38, 1e-20, 1e-3, 9, 1e3, 1e20, -20}, at::kFloat)}}},
                   {"specials", {{"input", values({-0.0, INFINITY, -INFINITY, NAN}, at::kFloat)}}},
                   {"normal", {{"input", randn({61, 67}, at::kFloat)}}},
                   {"normal, folded", {{"input", folded(randn({64, 64}, at::kFloat))}}},
               },
      .sizes = power_sizes("input", at::kFloat, 12, 27, {.low = 1e-6, .high = 4}),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input");
        return {
            .bytes_read = bytes_of(x), .bytes_written = 2 * bytes_of(x), .flops = 11 * static_cast<double>(x.numel())};
      },
      .contract = {Relative{.ulps = 2, .floor = 1e-6},
                   "1 - erf(x) is good to eight spacings at one, with the usual rational approximation; half types are "
                   "off by 2^-12",
                   {{"result[1]", Relative{.ulps = 3}}}},
  };
}

}  // namespace kbx::task_erfc_sqrt
