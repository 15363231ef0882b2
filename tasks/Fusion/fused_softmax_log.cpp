// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"
#include "kbx/task/rounding.h"

namespace kbx::task_fused_softmax_log {
namespace {

at::Tensor shares(const at::Tensor& x, int64_t dim) {
  return x / x.sum(dim, /*keepdim=*/true);
}

// By way of the logarithm l: l is off by two of its spacings or 2^-21.4, and
// the difference from the largest by another of each, which exp makes relative
// errors of the term and, on average, of the sum.
Results softmax_log_slack(const Args& in) {
  const at::Tensor x = in.tensor("input").to(at::kDouble);
  const int64_t dim = in.integer("dim");
  const at::Tensor y = shares(x, dim), l = x.log().abs().nan_to_num(0, 0, 0);
  const at::Tensor largest = x.amax(dim, /*keepdim=*/true).log().abs();
  const at::Tensor of_term = l * 4 + largest * 2 + 16;
  return {y * (of_term + (y * of_term).sum(dim, /*keepdim=*/true)) + sum_slack(y, y, x.size(dim))};
}

Recipe positive(Shape shape) {
  return folded(randn(std::move(shape), at::kFloat), 0.1);
}

Recipe positive_outliers(Shape shape) {
  return folded(outliers(std::move(shape), at::kFloat, 0.01, 10), 0.1);
}

Cases softmax_log_cases() {
  const auto f = at::kFloat;
  const Recipe four = values({1, 2, 3, 4}, {2, 2}, f);
  return {
      {"two by two", {{"input", four}}},
      {"two by two, dim 0", {{"input", four}, {"dim", 0}}},
      {"two by two, float64", {{"input", four}, {"dtype", at::kDouble}}},
      {"two by three", {{"input", values({1, 2, 3, 4, 5, 6}, {2, 3}, f)}}},
      {"rows", {{"input", positive({64, 128})}, {"dim", 1}}},
      {"columns", {{"input", positive({128, 64})}, {"dim", 0}}},
      {"outliers", {{"input", positive_outliers({64, 128})}, {"dim", 1}}},
      {"outliers, columns", {{"input", positive_outliers({61, 97})}, {"dim", -2}}},
      {"ragged", {{"input", positive({37, 53})}}},
      {"float64, ragged", {{"input", positive({9, 53})}, {"dtype", at::kDouble}}},
      {"float32, said", {{"input", positive({9, 53})}, {"dim", 0}, {"dtype", at::kFloat}}},
      {"middle of three", {{"input", positive({3, 17, 5})}, {"dim", 1}}},
      {"vector", {{"input", positive({1009})}, {"dim", 0}}},
      {"some zeros",
       {{"input",
         apply(
             uniform({9, 65}, f, -0.5, 1), [](const at::Tensor& x) { return x.clamp_min(0); }, "negative ones zero")}}},
      {"sums beyond float32", {{"input", uniform({5, 33}, f, 5e37, 3e38)}}},
      {"tiny values", {{"input", uniform({5, 33}, f, 2e-36, 9e-36)}}},
      {"many magnitudes",
       {{"input", apply(
                      randn({9, 65}, f, 4), [](const at::Tensor& x) { return x.exp(); }, "exp")}}},
      {"one element", {{"input", positive({1, 1})}}},
      {"empty", {{"input", empty({0, 5}, f)}}},
      {"transposed", {{"input", transposed(positive({50, 20}))}}},
      {"every third row", {{"input", strided(positive({60, 21}), 0, 3)}, {"dim", 0}}},
      drawn_case("drawn shape",
                 [](Draw& d) -> ArgRecipes {
                   return {{"input", positive({d.integer(2, 40), d.integer(2, 70)})}, {"dim", d.integer(0, 2)}};
                 }),
  };
}

KBX_TASK(Fusion, fused_softmax_log) {
  return {
      .signature = "fused_softmax_log(input, dim=-1, dtype=None)",
      .description =
          R"(softmax(ln(x)) along one dimension of a float32 tensor, which is x_i / sum_j x_j. dim is an int,
negative values count from the end. No element is negative, infinite or NaN; zero gives zero, and no slice is all zero.
The sum of a slice may exceed the largest float32 and elements may be small, so take the logarithms' distances from the
largest, or divide by the largest element first.
dtype: torch.float32, torch.float64 or None (the input's). The input is converted to it first, so float64 asks for
float64 arithmetic, logarithm and exponential included. Otherwise compute in float32.
Returns a new tensor of the input's shape and that dtype. The input may be any strided view.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def fused_softmax_log(input, dim=-1, dtype=None):
    if dtype is not None:
        input = input.to(dtype)
    return F.softmax(torch.log(input), dim=dim)
)",
      .reference = [](const Args& in) -> Results {
        return {shares(in.tensor("input").to(at::kDouble), in.integer("dim"))};
      },
      .cases = softmax_log_cases(),
      .sizes =
          [] {
            Sizes sizes;
            for (int i = 4; i <= 19; ++i)
              sizes.push_back({"1024 x 2^" + std::to_string(i), {{"input", uniform({1024, 1LL << i}, at::kFloat)}}});
            return sizes;
          }(),
      .cost = streaming_cost({"input"}, 5),
      .contract = {Relative{.ulps = 4, .scale = 1, .magnitude = softmax_log_slack, .floor = kSmallestNormal},
                   "the fast logarithm is good to 2^-21.4 or two spacings, "
                   "which the exponential makes relative: up to "
                   "16 + 4 |ln x| + 2 |ln max| spacings, the sum's chain "
                   "beside; half types are off by 2^-12"},
      .eager = [](const Args& in) -> Results {
        const at::Tensor x = in.tensor("input");
        return {at::softmax(at::log(x.to(in.optional_dtype("dtype").value_or(x.scalar_type()))), in.integer("dim"))};
      },
  };
}

}  // namespace
}  // namespace kbx::task_fused_softmax_log
