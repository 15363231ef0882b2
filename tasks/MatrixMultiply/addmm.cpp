// SPDX-License-Identifier: Apache-2.0
#include "matmul.h"

namespace kbx::task_addmm {
namespace {

Results addmm_slack(const Args& in) {
  const at::Tensor mat1 = in.tensor("mat1");
  at::Tensor slack = product_slack(mat1, in.tensor("mat2")) * std::abs(in.number("alpha"));
  if (in.number("beta") != 0)  // else the content of input does not matter, NaN included
    slack = slack + in.tensor("input").to(at::kDouble).abs() *
                        (2 * std::abs(in.number("beta")) * accumulation_share(mat1.scalar_type()));
  return {slack};
}

Cases addmm_cases() {
  const auto f = at::kFloat;
  const Recipe one_to_four = values({1, 2, 3, 4}, {2, 2}, f), five_to_eight = values({5, 6, 7, 8}, {2, 2}, f);
  const Recipe c = randn({64, 32}, f), a = randn({64, 128}, f), b = randn({128, 32}, f);
  return {
      {"identity", {{"input", one_to_four}, {"mat1", eye(2, f)}, {"mat2", five_to_eight}}},
      {"beta and alpha",
       {{"input", one_to_four}, {"mat1", one_to_four}, {"mat2", five_to_eight}, {"beta", 0.5}, {"alpha", 2.0}}},
      {"beta 0 ignores NaN",
       {{"input", values({NAN, 2, INFINITY, 4}, {2, 2}, f)},
        {"mat1", one_to_four},
        {"mat2", five_to_eight},
        {"beta", 0.0}}},
      {"beta 0, aligned, NaN", {{"input", full({64, 32}, NAN, f)}, {"mat1", a}, {"mat2", b}, {"beta", 0}}},
      {"aligned", {{"input", c}, {"mat1", a}, {"mat2", b}, {"beta", 1.0}, {"alpha", 1.0}}},
      {"aligned, beta and alpha", {{"input", c}, {"mat1", a}, {"mat2", b}, {"beta", 0.5}, {"alpha", 2.0}}},
      {"outliers",
       {{"input", outliers({64, 32}, f, 0.01, 10)},
        {"mat1", outliers({64, 128}, f, 0.01, 10)},
        {"mat2", outliers({128, 32}, f, 0.01, 10)},
        {"beta", -0.5},
        {"alpha", 1.7}}},
      {"ragged",
       {{"input", randn({37, 29}, f)},
        {"mat1", randn({37, 131}, f)},
        {"mat2", randn({131, 29}, f)},
        {"beta", 3},
        {"alpha", -2}}},
      {"a row for all", {{"input", randn({29}, f)}, {"mat1", randn({37, 20}, f)}, {"mat2", randn({20, 29}, f)}}},
      {"a column for all", {{"input", randn({37, 1}, f)}, {"mat1", randn({37, 20}, f)}, {"mat2", randn({20, 29}, f)}}},
      {"a number for all",
       {{"input", randn({}, f)}, {"mat1", randn({9, 20}, f)}, {"mat2", randn({20, 7}, f)}, {"beta", 4.0}}},
      {"alpha 0",
       {{"input", randn({9, 7}, f)}, {"mat1", randn({9, 20}, f)}, {"mat2", randn({20, 7}, f)}, {"alpha", 0}}},
      {"transposed",
       {{"input", transposed(randn({30, 40}, f))},
        {"mat1", transposed(randn({70, 40}, f))},
        {"mat2", transposed(randn({30, 70}, f))}}},
      {"out",
       {{"input", randn({19, 23}, f)},
        {"mat1", randn({19, 40}, f)},
        {"mat2", randn({40, 23}, f)},
        {"beta", 0.5},
        {"out", empty({19, 23}, f)}}},
      {"one element", {{"input", randn({1, 1}, f)}, {"mat1", randn({1, 1}, f)}, {"mat2", randn({1, 1}, f)}}},
      {"no rows", {{"input", empty({0, 3}, f)}, {"mat1", empty({0, 5}, f)}, {"mat2", randn({5, 3}, f)}}},
      {"no terms", {{"input", randn({4, 3}, f)}, {"mat1", empty({4, 0}, f)}, {"mat2", empty({0, 3}, f)}, {"beta", 2}}},
      {"float16",
       {{"input", randn({33, 40}, at::kHalf)},
        {"mat1", randn({33, 70}, at::kHalf)},
        {"mat2", randn({70, 40}, at::kHalf)},
        {"beta", 0.5},
        {"alpha", 2.0}}},
  };
}

KBX_TASK(MatrixMultiply, addmm) {
  return {
      .signature = "addmm(input, mat1, mat2, beta=1, alpha=1, out=None)",
      .description = R"(beta * input + alpha * (mat1 @ mat2) for matrices mat1 [M, K] and mat2 [K, N].
input is broadcast to [M, N] (a row, a column, one number). All tensors have one dtype, float32 or (timed) float16, and
so has the result. beta and alpha are Python numbers. With beta = 0 the content of input does not matter, NaN and
infinities included. K = 0 leaves beta * input. Tensors may be strided views.
Without out a new tensor [M, N] is returned; else the result is written to out, a tensor of that shape and dtype, which
is returned.
float32 is multiplied and summed in float32, in any order: TF32 (which tl.dot uses unless told otherwise), bfloat16 and
float16 products are refused. float16 is summed and scaled in float32 and rounded once.)",
      .snippet = R"(import torch


def addmm(input, mat1, mat2, beta=1, alpha=1, out=None):
    return torch.addmm(input, mat1, mat2, beta=beta, alpha=alpha, out=out)
)",
      .reference = [](const Args& in) -> Results {
        return deliver(
            in, "out",
            at::addmm(in.tensor("input"), in.tensor("mat1"), in.tensor("mat2"), in.number("beta"), in.number("alpha")));
      },
      .cases = addmm_cases(),
      .sizes = square_sizes({"input", "mat1", "mat2"}, at::kHalf),
      .cost = [](const Args& in) -> Cost {
        Cost cost = matmul_cost("mat1", "mat2")(in);
        const double outputs = static_cast<double>(in.tensor("mat1").size(0) * in.tensor("mat2").size(1));
        if (in.number("beta") != 0) cost.bytes_read += bytes_of(in.tensor("input"));
        cost.flops += 3 * outputs;
        return cost;
      },
      .contract = {Relative{.ulps = 1.5, .scale = 1, .magnitude = addmm_slack},
                   "a float32 sum of n products in any order (2 sqrt(n) |sum| + 8 sum|a b| spacings), two scalings and "
                   "one addition; TF32 operands miss by 3670 / sqrt(n) in the standard deviation"},
      .mutates = {"out"},
  };
}

}  // namespace
}  // namespace kbx::task_addmm
