// SPDX-License-Identifier: Apache-2.0
#include "matmul.h"

namespace kbx::task_matmul {
namespace {

Cases matmul_cases() {
  const auto f = at::kFloat;
  return {
      {"two by two", {{"tensor1", values({1, 2, 3, 4}, {2, 2}, f)}, {"tensor2", values({5, 6, 7, 8}, {2, 2}, f)}}},
      {"vector times matrix", {{"tensor1", randn({33}, f)}, {"tensor2", randn({33, 20}, f)}}},
      {"matrix times vector", {{"tensor1", randn({20, 33}, f)}, {"tensor2", randn({33}, f)}}},
      {"dot", {{"tensor1", randn({129}, f)}, {"tensor2", randn({129}, f)}}},
      {"batch", {{"tensor1", randn({3, 10, 17}, f)}, {"tensor2", randn({3, 17, 9}, f)}}},
      {"batch times matrix", {{"tensor1", randn({2, 3, 5, 17}, f)}, {"tensor2", randn({17, 6}, f)}}},
      {"matrix times batch", {{"tensor1", randn({5, 17}, f)}, {"tensor2", randn({3, 17, 6}, f)}}},
      {"broadcast batches", {{"tensor1", randn({2, 1, 5, 9}, f)}, {"tensor2", randn({3, 9, 4}, f)}}},
      {"batch times vector", {{"tensor1", randn({3, 6, 17}, f)}, {"tensor2", randn({17}, f)}}},
      {"vector times batch", {{"tensor1", randn({17}, f)}, {"tensor2", randn({3, 17, 6}, f)}}},
      {"aligned", {{"tensor1", randn({64, 128}, f)}, {"tensor2", randn({128, 32}, f)}}},
      {"ragged", {{"tensor1", randn({37, 131}, f)}, {"tensor2", randn({131, 29}, f)}}},
      {"positive values", {{"tensor1", uniform({21, 300}, f)}, {"tensor2", uniform({300, 19}, f)}}},
      {"outliers", {{"tensor1", outliers({64, 128}, f, 0.01, 10)}, {"tensor2", outliers({128, 32}, f, 0.01, 10)}}},
      {"transposed", {{"tensor1", transposed(randn({70, 40}, f))}, {"tensor2", transposed(randn({30, 70}, f))}}},
      {"every other row", {{"tensor1", strided(randn({40, 50}, f), 0, 2)}, {"tensor2", randn({50, 20}, f)}}},
      {"one element", {{"tensor1", randn({1, 1}, f)}, {"tensor2", randn({1, 1}, f)}}},
      {"no rows", {{"tensor1", empty({0, 5}, f)}, {"tensor2", randn({5, 3}, f)}}},
      {"no terms", {{"tensor1", empty({4, 0}, f)}, {"tensor2", empty({0, 3}, f)}}},
      {"float16", {{"tensor1", randn({33, 70}, at::kHalf)}, {"tensor2", randn({70, 40}, at::kHalf)}}},
  };
}

KBX_TASK(MatrixMultiply, matmul) {
  return {
      .signature = "matmul(tensor1, tensor2)",
      .description = R"(Product of two tensors of one dtype, float32 or (timed) float16, which the result has too.
Two matrices [M, K] and [K, N] give [M, N]. A vector on the left counts as [1, K], one on the right as [K, 1], and the
added dimension is removed from the result; two vectors give a tensor without dimensions. With more than two dimensions
the last two are the matrices and the ones before broadcast as batches. No dimension need be a multiple of anything,
K = 0 gives zeros, and the tensors may be strided views.
float32 is multiplied and summed in float32, in any order: TF32 (which tl.dot uses unless told otherwise), bfloat16 and
float16 products are refused. float16 is summed in float32 and rounded once.)",
      .snippet = R"(import torch


def matmul(tensor1, tensor2):
    return torch.matmul(tensor1, tensor2)
)",
      .reference = [](const Args& in) -> Results { return {at::matmul(in.tensor("tensor1"), in.tensor("tensor2"))}; },
      .cases = matmul_cases(),
      .sizes = square_sizes({"tensor1", "tensor2"}, at::kHalf),
      .cost = matmul_cost("tensor1", "tensor2"),
      .contract = {product_rule("tensor1", "tensor2"),
                   "float32 sums of n products in any order stay within 2 sqrt(n) |sum| + 8 sum|a b| spacings; TF32 "
                   "operands miss by 3670 / sqrt(n) in the standard deviation; half types are rounded once"},
  };
}

}  // namespace
}  // namespace kbx::task_matmul
