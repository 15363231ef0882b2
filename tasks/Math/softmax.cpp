// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"
#include "kbx/task/rounding.h"

namespace kbx::task_softmax {
namespace {

// exp turns the rounding of its argument into |x - max| relative ones; the sum of positive terms adds its own.
Results softmax_slack(const Args& in) {
  const at::Tensor x = in.tensor("input").to(at::kDouble);
  const int64_t dim = in.integer("dim");
  const at::Tensor y = at::softmax(x, dim), distance = x.amax(dim, /*keepdim=*/true) - x;
  return {(y * distance).nan_to_num(0, 0, 0) + sum_slack(y, y, x.size(dim))};
}

}  // namespace

KBX_TASK(Math, softmax) {
  return {
      .signature = "softmax(input, dim, dtype=None)",
      .description = R"(Softmax along one dimension of a float32 tensor: y_i = exp(x_i - m) / sum_j exp(x_j - m), with m
the largest x along dim, so that large inputs do not overflow. dim is an int, negative values count from the end. An
element -inf gives 0; no slice is all -inf, none holds NaN or +inf.
dtype: torch.float32, torch.float64 or None (the input's). The input is converted to it first, so float64 asks for
float64 arithmetic. Otherwise compute in float32.
Returns a new tensor of the input's shape and that dtype. The input may be any strided view.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def softmax(input, dim, dtype=None):
    return F.softmax(input, dim=dim, dtype=dtype)
)",
      .reference = [](const Args& in) -> Results {
        return {at::softmax(in.tensor("input").to(at::kDouble), in.integer("dim"))};
      },
      .cases =
          {
              {"two rows, dim 1", {{"input", values({1, 2, 3, 1, 2, 3}, {2, 3}, at::kFloat)}, {"dim", 1}}},
              {"two rows, dim 0", {{"input", values({1, 2, 3, 1, 2, 4}, {2, 3}, at::kFloat)}, {"dim", 0}}},
              {"float64", {{"input", randn({5, 33}, at::kFloat)}, {"dim", 1}, {"dtype", at::kDouble}}},
              {"float32, said", {{"input", randn({5, 33}, at::kFloat)}, {"dim", 0}, {"dtype", at::kFloat}}},
              {"rows", {{"input", randn({100, 100}, at::kFloat)}, {"dim", 1}}},
              {"columns", {{"input", randn({64, 128}, at::kFloat)}, {"dim", 0}}},
              {"last", {{"input", randn({64, 128}, at::kFloat)}, {"dim", -1}}},
              {"outliers, columns", {{"input", outliers({64, 128}, at::kFloat, 0.01, 10)}, {"dim", 0}}},
              {"outliers, last", {{"input", outliers({64, 128}, at::kFloat, 0.01, 10)}, {"dim", -1}}},
              {"middle of three", {{"input", randn({3, 17, 5}, at::kFloat, 3)}, {"dim", 1}}},
              {"vector", {{"input", randn({1009}, at::kFloat)}, {"dim", 0}}},
              {"one element", {{"input", randn({1, 1}, at::kFloat)}, {"dim", 1}}},
              {"empty", {{"input", empty({0, 5}, at::kFloat)}, {"dim", 1}}},
              {"large values", {{"input", randn({9, 65}, at::kFloat, 20, 1000)}, {"dim", 1}}},
              {"masked",
               {{"input",
                 apply(
                     randn({9, 65}, at::kFloat),
                     [](const at::Tensor& x) { return x.masked_fill(at::ones_like(x, at::kBool).tril(-2), -INFINITY); },
                     "-inf below the first subdiagonal")},
                {"dim", 1}}},
              {"transposed", {{"input", transposed(randn({50, 20}, at::kFloat))}, {"dim", 1}}},
          },
      .sizes =
          [] {
            Sizes sizes;
            for (int i = 4; i <= 19; ++i)
              sizes.push_back(
                  {"1024 x 2^" + std::to_string(i), {{"input", randn({1024, 1LL << i}, at::kFloat)}, {"dim", 1}}});
            return sizes;
          }(),
      .cost = streaming_cost({"input"}, 3),
      .contract = {Relative{.ulps = 4, .scale = 1, .magnitude = softmax_slack, .floor = kSmallestNormal},
                   "fast exponential and division are good to two spacings each, the rounded exponent moves a term by "
                   "its distance from the maximum, and the sum has a chain of roundings; half types are off by 2^-12"},
      .eager = [](const Args& in) -> Results {
        return {at::softmax(in.tensor("input"), in.integer("dim"), in.optional_dtype("dtype"))};
      },
  };
}

}  // namespace kbx::task_softmax
