// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_i0 {

KBX_TASK(Math, i0) {
  return {
      .signature = "i0(input_tensor, out=None)",
      .description = R"(Modified Bessel function of the first kind, order zero, of every element of a float32 tensor of
any shape: I0(x) = sum over k >= 0 of (x^2/4)^k / (k!)^2, an even function that grows as exp(|x|) / sqrt(2 pi |x|).
Finite inputs lie in [-80, 80]; infinities give +inf, NaN gives NaN. Compute in float32: 8 spacings of the result are
allowed and two more for every unit of |x|, for the exponential.
out: a float32 tensor of the input's shape, possibly not contiguous, that receives the result and is returned. Without
it a new tensor of the input's shape and dtype is returned.)",
      .snippet = R"(import torch


def i0(input_tensor, out=None):
    return torch.special.i0(input_tensor, out=out)
)",
      .reference = [](const Args& in) { return deliver(in, "out", at::special_i0(in.tensor("input_tensor"))); },
      .cases =
          elementwise_cases("input_tensor", at::kFloat, {.specials = false}) +
          out_cases("input_tensor", "out", at::kFloat) +
          Cases{
              {"integers", {{"input_tensor", values({0, 1, 2}, at::kFloat)}}},
              {"both signs", {{"input_tensor", values({-1, -2, 3, 4}, at::kFloat)}}},
              {"even", {{"input_tensor", values({-3, 0, 3}, at::kFloat)}}},
              {"halves", {{"input_tensor", values({0.5, 1.5, 2.5}, at::kFloat)}}},
              {"large", {{"input_tensor", uniform({257}, at::kFloat, -80, 80)}}},
              {"specials", {{"input_tensor", values({-0.0, 2e-38, INFINITY, -INFINITY, NAN}, at::kFloat)}}},
              {"normal", {{"input_tensor", randn({64, 64}, at::kFloat)}}},
              {"outliers, clamped", {{"input_tensor", clamped(outliers({61, 67}, at::kFloat, 0.01, 10), -10, 10)}}},
          },
      .sizes = power_sizes("input_tensor", at::kFloat),
      .cost = streaming_cost({"input_tensor"}, 10),
      .contract = {Relative{.ulps = 8,
                            .scale = 2,
                            // x I1(x): the derivative of I0 is I1.
                            .magnitude = [](const Args& in) -> Results {
                              const at::Tensor x = in.tensor("input_tensor");
                              return {(x * at::special_i1(x)).nan_to_num(0, 0, 0)};
                            }},
                   "the usual polynomials of seven to nine terms are good to 5e-7 of the result, and the rounded "
                   "argument of the fast exponential moves it by |x| spacings; half types are off by 2^-12"},
      .mutates = {"out"},
  };
}

}  // namespace kbx::task_i0
