// SPDX-License-Identifier: Apache-2.0
#include "linear.h"

namespace kbx::task_fused_tanh_linear {
namespace {

// tanh rounds once more for half types; of its own errors, which are float32's,
// they see little.
Results tanh_linear_slack(const Args& given) {
  const at::ScalarType dtype = given.tensor("input").scalar_type();
  const Args exact = in_double(given);
  const at::Tensor z = linear_of(exact), none = at::zeros_like(z), slack = linear_slack(exact, dtype);
  return {through_tanh(z, none) * accumulation_share(dtype) + slack * (1 - z.tanh().square())};
}

Sizes tanh_linear_sizes() {
  Sizes out;
  for (int i = 2; i <= 12; ++i) {
    const int64_t batch = int64_t{1} << i, outputs = 2 * batch, inputs = 8 * batch;
    out.push_back({std::to_string(batch) + "x" + std::to_string(inputs) + "x" + std::to_string(outputs),
                   linear_problem(batch, inputs, outputs, true)});
  }
  return out;
}

KBX_TASK(Fusion, fused_tanh_linear) {
  return {
      .signature = "fused_tanh_linear(input, weight, bias=None)",
      .description = R"(tanh(input @ weight^T + bias), element by element.
input is [..., I], weight [O, I] and bias [O] or None; the result is a new tensor [..., O]. All are float32 or all
float16. float32 is multiplied and summed in float32, in any order: TF32 (which tl.dot uses unless told otherwise),
bfloat16 and float16 products are refused, and so is tanh.approx, good to 11 bits. float16 is summed in float32; the
product, the sum with the bias and the result may each be rounded to float16. tanh of a large number is -1 or 1.
Tensors may be strided views; there may be no rows.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def fused_tanh_linear(input, weight, bias=None):
    return torch.tanh(F.linear(input, weight, bias))
)",
      .reference = [](const Args& in) -> Results { return {at::tanh(linear_of(in))}; },
      .cases = linear_cases() + linear_cases_half(),
      .sizes = tanh_linear_sizes(),
      .cost = linear_cost(2),
      .contract = {Relative{.ulps = 0.5, .scale = 1, .magnitude = tanh_linear_slack},
                   "tanh passes on at most the error of the sum: 2 sqrt(n) "
                   "|sum| + 8 sum|x w| spacings for float32 in "
                   "any order, and adds 8 of its own; TF32 operands miss that "
                   "by hundreds; float16 adds the roundings "
                   "of its intermediate results"},
  };
}

}  // namespace
}  // namespace kbx::task_fused_tanh_linear
