// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_cos {

KBX_TASK(Math, cos) {
  return {
      .signature = "cos(input_tensor)",
      .description = R"(Cosine of every element of a float32 tensor of any shape, angles in radians. Finite inputs reach
10^4 in magnitude, so the argument has to be reduced by a float32 or better 2 pi; infinities and NaN give NaN. Compute
in float32: the error allowed is an absolute 1e-6 plus what moving x by two float32 spacings changes.
Returns a new tensor of the shape and dtype of the input, which may be any strided view.)",
      .snippet = R"(import torch


def cos(input_tensor):
    return torch.cos(input_tensor)
)",
      .reference = [](const Args& in) -> Results { return {at::cos(in.tensor("input_tensor"))}; },
      .cases = elementwise_cases("input_tensor", at::kFloat, {.specials = false}) +
               Cases{
                   {"zero", {{"input_tensor", values({0}, at::kFloat)}}},
                   {"quarters", {{"input_tensor", values({0, -M_PI_2, M_PI, M_PI_2}, at::kFloat)}}},
                   {"a few turns", {{"input_tensor", uniform({1000}, at::kFloat, -30, 30)}}},
                   {"many turns", {{"input_tensor", uniform({257}, at::kFloat, -1e4, 1e4)}}},
                   {"specials", {{"input_tensor", values({INFINITY, -INFINITY, NAN, -0.0, 2e-38}, at::kFloat)}}},
                   {"normal", {{"input_tensor", randn({64, 64}, at::kFloat)}}},
                   {"outliers", {{"input_tensor", outliers({64, 64}, at::kFloat, 0.01, 10)}}},
               },
      .sizes = power_sizes("input_tensor", at::kFloat, 12, 27, {.low = -6, .high = 6}),
      .cost = streaming_cost({"input_tensor"}, 10),
      .contract = {Relative{.ulps = 2,
                            .scale = 2,
                            .magnitude = [](const Args& in) -> Results {
                              const at::Tensor x = in.tensor("input_tensor");
                              return {(x * x.sin()).abs().nan_to_num(0, 0, 0)};
                            },
                            .floor = 1e-6},
                   "the fast cosine is good to 2^-20.5 absolutely, and reducing the argument in float32 rounds it by a "
                   "spacing or two, worth |x sin x|; half types round it by 2^-12"},
  };
}

}  // namespace kbx::task_cos
