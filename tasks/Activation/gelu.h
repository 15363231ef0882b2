// SPDX-License-Identifier: Apache-2.0
// gelu, gelu_fp16 and gelu_bf16 differ in dtype and in what rounding to it costs.
#pragma once

#include "kbx/task/define.h"

namespace kbx {

inline Task gelu_in(at::ScalarType dtype, const std::string& entry, Contract contract) {
  const std::string type(dtype_name(dtype));
  return {
      .signature = entry + "(input, approximate='none')",
      .description = "Gaussian error linear unit of every element of a " + type + R"( tensor of any shape.
approximate='none': y = x/2 * (1 + erf(x / sqrt(2))).
approximate='tanh': y = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))). The two forms differ by up to 5e-4 and each
is asked for by itself.
Arithmetic is float32 inside. NaN gives NaN, infinities are not asked for; a large negative input gives zero of either
sign, never NaN. Returns a new tensor of the shape and dtype ()" +
                     type + R"() of the input; the input may be any strided view.)",
      .snippet = "import torch\nimport torch.nn.functional as F\n\n\ndef " + entry +
                 "(input, approximate='none'):\n    return F.gelu(input, approximate=approximate)\n",
      .reference = [](const Args& in) -> Results { return {at::gelu(in.tensor("input"), in.text("approximate"))}; },
      .cases =
          elementwise_cases("input", dtype, {.specials = false}) +
          Cases{
              {"small integers", {{"input", values({-2, -1, 0, 1, 2}, dtype)}}},
              {"small integers, tanh", {{"input", values({-2, -1, 0, 1, 2}, dtype)}, {"approximate", "tanh"}}},
              {"both tails", {{"input", values({-10, -3, -1, 0, 1, 3, 10}, dtype)}}},
              {"both tails, tanh", {{"input", values({-10, -3, -1, 0, 1, 3, 10}, dtype)}, {"approximate", "tanh"}}},
              {"beyond the tails", {{"input", values({-100, -30, -0.0, 30, 100, NAN}, dtype)}}},
              {"beyond the tails, tanh",
               {{"input", values({-100, -30, -0.0, 30, 100, NAN}, dtype)}, {"approximate", "tanh"}}},
              {"normal", {{"input", randn({64, 64}, dtype)}, {"approximate", "none"}}},
              {"normal, tanh", {{"input", randn({64, 64}, dtype)}, {"approximate", "tanh"}}},
              {"outliers", {{"input", outliers({64, 64}, dtype, 0.01, 10)}, {"approximate", "none"}}},
              {"outliers, tanh", {{"input", outliers({61, 67}, dtype, 0.01, 10)}, {"approximate", "tanh"}}},
              {"transposed, tanh", {{"input", transposed(randn({33, 20}, dtype, 2))}, {"approximate", "tanh"}}},
          },
      .sizes = power_sizes("input", dtype, 12, 27, {.low = -6, .high = 6}),
      .cost = streaming_cost({"input"}, 8),
      .contract = std::move(contract),
  };
}

// Rounding once to a half type costs half a spacing; next to a midpoint the float32 result may fall on the other side.
inline Contract gelu_rounded_once() {
  return {Relative{.ulps = 1, .floor = 2e-6},
          "float32 arithmetic rounded once to the half type lies within one spacing of it; the negative tail, where "
          "1 + erf or 1 + tanh cancels, keeps the float32 error of about four spacings times |x|/2, under 2e-6"};
}

}  // namespace kbx
