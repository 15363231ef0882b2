// SPDX-License-Identifier: Apache-2.0
#include "linear.h"

namespace kbx::task_fused_elu_linear {
namespace {

Results elu_linear_slack(const Args& given) {
  const at::ScalarType dtype = given.tensor("input").scalar_type();
  const Args exact = in_double(given);
  const double alpha = given.number("alpha"), share = accumulation_share(dtype);
  // Errors of the activation are float32's; slack is in spacings of dtype.
  return {through_elu(linear_of(exact), linear_slack(exact, dtype) / share, alpha) * share};
}

Sizes elu_linear_sizes() {
  Sizes out;
  for (int i = 8; i <= 16; ++i)
    out.push_back({"1024x" + std::to_string(1 << i) + "x256", linear_problem(1024, int64_t{1} << i, 256, true)});
  return out;
}

Cases elu_linear_cases() {
  const Recipe input = values({1, 2, 3, 4}, {2, 2}, at::kFloat);
  const Recipe weight = values({0.5, -0.5, -0.5, 0.5}, {2, 2}, at::kFloat), zeros = full({2}, 0, at::kFloat);
  const ArgRecipes small = {{"input", input}, {"weight", weight}, {"bias", zeros}};
  return linear_cases() + linear_cases_half() +
         Cases{
             {"small numbers", small},
             {"small numbers, alpha", with(small, {{"alpha", 0.5}})},
             {"small numbers, inplace", with(small, {{"inplace", true}})},
             {"alpha", with(linear_problem(19, 40, 33, true), {{"alpha", 0.5}, {"inplace", false}})},
             {"alpha above one", with(linear_problem(19, 40, 33, true), {{"alpha", 2.5}})},
             {"alpha below zero", with(linear_problem(19, 40, 33, false), {{"alpha", -0.7}})},
             {"alpha 0", with(linear_problem(19, 40, 33, false), {{"alpha", 0}})},
             {"float16, alpha", with(linear_problem(19, 40, 33, true, at::kHalf), {{"alpha", 0.5}})},
             {"inplace", with(linear_problem(11, 20, 13, true), {{"inplace", true}})},
         };
}

KBX_TASK(Fusion, fused_elu_linear) {
  return {
      .signature =
          "fused_elu_linear(input, weight, bias=None, alpha=1.0, "
          "inplace=False)",
      .description =
          R"(elu(z) of z = input @ weight^T + bias, element by element: z where z > 0, else alpha (exp(z) - 1).
input is [..., I], weight [O, I] and bias [O] or None; the result is a new tensor [..., O]. All are float32 or all
float16. alpha is a Python number of either sign. inplace concerns the intermediate result only and never the arguments:
it changes nothing that can be seen.
float32 is multiplied and summed in float32, in any order: TF32 (which tl.dot uses unless told otherwise), bfloat16 and
float16 products are refused. float16 is summed in float32; the product, the sum with the bias and the result may each
be rounded to float16. exp must not overflow into NaN for large z. Tensors may be strided views; there may be no rows.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def fused_elu_linear(input, weight, bias=None, alpha=1.0, inplace=False):
    return F.elu(F.linear(input, weight, bias), alpha=alpha, inplace=inplace)
)",
      .reference = [](const Args& in) -> Results { return {at::elu(linear_of(in), in.number("alpha"))}; },
      .cases = elu_linear_cases(),
      .sizes = elu_linear_sizes(),
      .cost = linear_cost(4),
      .contract = {Relative{.ulps = 0.5, .scale = 1, .magnitude = elu_linear_slack},
                   "elu passes on the error of the sum, times |alpha| at most: 2 "
                   "sqrt(n) |sum| + 8 sum|x w| spacings "
                   "for float32 in any order; exp(z) - 1 cancels and adds 4 |alpha|; "
                   "TF32 operands miss that by "
                   "hundreds; float16 adds the roundings of its intermediate results"},
  };
}

}  // namespace
}  // namespace kbx::task_fused_elu_linear
