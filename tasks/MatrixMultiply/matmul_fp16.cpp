// SPDX-License-Identifier: Apache-2.0
#include "matmul.h"

namespace kbx::task_matmul_fp16 {
namespace {

Cases matmul_fp16_cases() {
  const auto h = at::kHalf;
  const auto clamped = [](Recipe inner) {
    return apply(
        std::move(inner), [](const at::Tensor& x) { return x.clamp(-5, 5); }, "clamped to 5");
  };
  return {
      {"matrices", {{"input", randn({64, 128}, h)}, {"other", randn({128, 256}, h)}}},
      {"batch", {{"input", randn({4, 32, 64}, h)}, {"other", randn({4, 64, 48}, h)}}},
      {"vector times matrix", {{"input", randn({128}, h)}, {"other", randn({128, 256}, h)}}},
      {"matrix times vector", {{"input", randn({31, 65}, h)}, {"other", randn({65}, h)}}},
      {"dot", {{"input", randn({200}, h)}, {"other", randn({200}, h)}}},
      {"batch times matrix", {{"input", randn({3, 7, 33}, h)}, {"other", randn({33, 10}, h)}}},
      {"ragged", {{"input", randn({37, 131}, h)}, {"other", randn({131, 29}, h)}}},
      {"long sums", {{"input", randn({17, 2000}, h)}, {"other", randn({2000, 19}, h)}}},
      {"clamped", {{"input", clamped(randn({64, 128}, h))}, {"other", clamped(randn({128, 64}, h))}}},
      {"clamped outliers",
       {{"input", clamped(outliers({4, 24, 64}, h, 0.01, 10))},
        {"other", clamped(outliers({4, 64, 40}, h, 0.01, 10))}}},
      {"positive values", {{"input", uniform({20, 700}, h)}, {"other", uniform({700, 24}, h)}}},
      {"tiny values", {{"input", randn({20, 40}, h, 1e-3)}, {"other", randn({40, 24}, h, 1e-4)}}},
      {"transposed", {{"input", transposed(randn({70, 40}, h))}, {"other", transposed(randn({30, 70}, h))}}},
      {"one element", {{"input", randn({1, 1}, h)}, {"other", randn({1, 1}, h)}}},
      {"no rows", {{"input", empty({0, 5}, h)}, {"other", randn({5, 3}, h)}}},
      {"no terms", {{"input", empty({4, 0}, h)}, {"other", empty({0, 3}, h)}}},
      {"512 x 1024 x 512", {{"input", randn({512, 1024}, h)}, {"other", randn({1024, 512}, h)}}, true},
  };
}

KBX_TASK(MatrixMultiply, matmul_fp16) {
  Relative rule = product_rule("input", "other");
  rule.floor = 0x1p-25;  // half a spacing of the subnormal numbers
  return {
      .signature = "matmul_fp16(input, other)",
      .description = R"(Product of two float16 tensors; the result is float16.
Two matrices [M, K] and [K, N] give [M, N]. A vector on the left counts as [1, K], one on the right as [K, 1], and the
added dimension is removed from the result; two vectors give a tensor without dimensions. With more than two dimensions
the last two are the matrices and the ones before broadcast as batches. No dimension need be a multiple of anything,
K = 0 gives zeros, and the tensors may be strided views.
Products are summed in float32, in any order, and the sum is rounded to float16 once: partial sums in float16 and
operands in bfloat16 or float8 are refused.)",
      .snippet = R"(import torch


def matmul_fp16(input, other):
    return torch.matmul(input, other)
)",
      .reference = [](const Args& in) -> Results { return {at::matmul(in.tensor("input"), in.tensor("other"))}; },
      .cases = matmul_fp16_cases(),
      .sizes = square_sizes({"input", "other"}, at::kHalf),
      .cost = matmul_cost("input", "other"),
      .contract = {std::move(rule),
                   "half a spacing for the one rounding to float16, and what a float32 sum of n exact products loses: "
                   "2 sqrt(n) |sum| + 8 sum|a b| float32 spacings, which covers tensor cores that truncate"},
  };
}

}  // namespace
}  // namespace kbx::task_matmul_fp16
