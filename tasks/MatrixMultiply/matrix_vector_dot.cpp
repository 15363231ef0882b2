// SPDX-License-Identifier: Apache-2.0
#include "matmul.h"

namespace kbx::task_matrix_vector_dot {
namespace {

at::Tensor new_y(const Args& in) {
  return at::mv(in.tensor("A"), in.tensor("x")) * in.number("alpha") + in.tensor("y") * in.number("beta");
}

// What y may be off before it is rounded, in spacings of its dtype.
at::Tensor y_slack(const Args& in) {
  const at::Tensor old = in.tensor("y").to(at::kDouble).abs() * std::abs(in.number("beta"));
  return product_slack(in.tensor("A"), in.tensor("x")) * std::abs(in.number("alpha")) +
         old * (2 * accumulation_share(in.tensor("A").scalar_type()));
}

// Of the dot product, then of y.
Results dot_slack(const Args& in) {
  const Args exact = in.map_tensors([](const at::Tensor& t) { return t.to(at::kDouble); });
  const at::Tensor y = new_y(exact), x = exact.tensor("x"), of_y = y_slack(in);
  const at::Tensor of_sum = sum_slack(y.dot(x), y.abs().dot(x.abs()), x.numel());
  return {(of_y + y.abs() * 0.5).dot(x.abs()) + of_sum * accumulation_share(in.tensor("A").scalar_type()), of_y};
}

Case problem(const std::string& label, int64_t n, double alpha, double beta) {
  return {label,
          {{"A", randn({n, n}, at::kFloat)},
           {"x", randn({n}, at::kFloat)},
           {"y", randn({n}, at::kFloat)},
           {"alpha", alpha},
           {"beta", beta}}};
}

Cases matrix_vector_dot_cases() {
  const auto f = at::kFloat;
  const Recipe a = values({1, 2, 3, 4}, {2, 2}, f);
  return {
      {"beta 0", {{"A", a}, {"x", values({1, 1}, f)}, {"y", values({5, 6}, f)}, {"alpha", 1.0}, {"beta", 0.0}}},
      {"small", {{"A", a}, {"x", values({2, 3}, f)}, {"y", values({1, 1}, f)}, {"alpha", 0.5}, {"beta", 0.5}}},
      problem("64, beta 0", 64, 1.0, 0.0),
      problem("128", 128, 0.5, 0.5),
      problem("ragged", 77, -1.5, 2.0),
      problem("one", 1, 2.0, -3.0),
      problem("empty", 0, 1.0, 1.0),
      {"outliers",
       {{"A", outliers({128, 128}, f, 0.01, 10)},
        {"x", outliers({128}, f, 0.01, 10)},
        {"y", outliers({128}, f, 0.01, 10)},
        {"alpha", 0.5},
        {"beta", 0.5}}},
      {"positive values",
       {{"A", uniform({90, 90}, f)}, {"x", uniform({90}, f)}, {"y", uniform({90}, f)}, {"alpha", 1}, {"beta", 1}}},
      {"transposed",
       {{"A", transposed(randn({50, 50}, f))},
        {"x", randn({50}, f)},
        {"y", randn({50}, f)},
        {"alpha", 1.25},
        {"beta", 0.75}}},
      {"every other element",
       {{"A", randn({30, 30}, f)},
        {"x", strided(randn({60}, f), 0, 2)},
        {"y", strided(randn({60}, f), 0, 2)},
        {"alpha", 1.25},
        {"beta", 0.75}}},
  };
}

// float16, scaled so that neither y nor the sum overflows.
Sizes matrix_vector_dot_sizes() {
  Sizes out;
  for (int i = 6; i <= 15; ++i) {
    const int64_t n = int64_t{1} << i;
    out.push_back({std::to_string(n),
                   {{"A", randn({n, n}, at::kHalf, 1 / std::sqrt(static_cast<double>(n)))},
                    {"x", randn({n}, at::kHalf)},
                    {"y", randn({n}, at::kHalf)},
                    {"alpha", 1.0},
                    {"beta", 1.0}}});
  }
  return out;
}

KBX_TASK(MatrixMultiply, matrix_vector_dot) {
  return {
      .signature = "matrix_vector_dot(A, x, y, alpha, beta)",
      .description = R"(Updates y in place to alpha * A x + beta * y and returns the dot product of the new y with x.
A is [n, n], x and y are [n], all of one dtype, float32 or (timed) float16; alpha and beta are Python numbers. The
result is a tensor without dimensions of that dtype; y must hold its new values after the call, x and A their old ones.
n may be 0 (the result is 0). Tensors may be strided views, y included.
float32 is multiplied and summed in float32, in any order: TF32, bfloat16 and float16 products are refused. float16 is
summed in float32; y is rounded once, and the dot product may use y before or after that rounding.)",
      .snippet = R"(import torch


def matrix_vector_dot(A, x, y, alpha, beta):
    y.copy_(alpha * torch.mv(A, x) + beta * y)
    return torch.dot(y, x)
)",
      .reference = [](const Args& in) -> Results {
        at::Tensor y = in.tensor("y");
        y.copy_(new_y(in));
        return {at::dot(y, in.tensor("x"))};
      },
      .cases = matrix_vector_dot_cases(),
      .sizes = matrix_vector_dot_sizes(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor a = in.tensor("A"), x = in.tensor("x"), y = in.tensor("y");
        const double n = static_cast<double>(x.numel());
        return {.bytes_read = bytes_of(a) + bytes_of(x) + (in.number("beta") == 0 ? 0 : bytes_of(y)),
                .bytes_written = bytes_of(y) + static_cast<double>(a.element_size()),
                .flops = 2 * n * n + 5 * n,
                .matrix_flops = 0};
      },
      .contract = {Relative{.ulps = 0.5, .scale = 1, .magnitude = dot_slack},
                   "the errors of y (a float32 sum of n products in any order, 2 sqrt(n) |sum| + 8 sum|a x| spacings, "
                   "two scalings, one addition) weighted by |x|, and those of the second sum; TF32 misses by hundreds"},
      .mutates = {"y"},
  };
}

}  // namespace
}  // namespace kbx::task_matrix_vector_dot
