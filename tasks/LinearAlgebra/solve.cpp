// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"
#include "kbx/task/residual.h"

namespace kbx::task_solve {
namespace {

std::vector<Bounded> solve_bounds(const Question& q) {
  const at::Tensor input = q.before.tensor("A"), a = input.to(at::kDouble);
  at::Tensor b = q.before.tensor("B").to(at::kDouble), x = *q.got[0].as<at::Tensor>();
  if (b.dim() == 1) b = b.unsqueeze(-1), x = x.unsqueeze(-1);
  return {small("|A X - B| / (|A||X| + |B|)", at::matmul(a, x) - b, frobenius(a) * frobenius(x) + frobenius(b),
                stable_bound(a.size(-1), input.scalar_type()))};
}

Recipe shifted(Shape shape, at::ScalarType dtype, double shift) {
  return apply(
      randn(std::move(shape), dtype),
      [shift](const at::Tensor& x) { return x + at::eye(x.size(-1), x.options()) * shift; },
      "+ " + std::to_string(shift) + " I");
}

Cases solve_cases() {
  const auto f = at::kFloat, d = at::kDouble;
  return {
      {"2 x 2", {{"A", values({3, 1, 1, 2}, {2, 2}, f)}, {"B", values({9, 8}, f)}}},
      {"3 x 3", {{"A", values({1, 2, 3, 0, 1, 4, 5, 6, 0}, {3, 3}, f)}, {"B", values({6, 4, 3}, f)}}},
      {"zero on the diagonal", {{"A", values({0, 2, 3, 1, 0, 4, 5, 6, 0}, {3, 3}, f)}, {"B", values({6, 4, 3}, f)}}},
      {"small first pivot", {{"A", values({1e-7, 1, 1, 1}, {2, 2}, f)}, {"B", values({1, 2}, f)}}},
      {"float64, vector", {{"A", shifted({8, 8}, d, 3)}, {"B", randn({8}, d)}}},
      {"float64, columns", {{"A", shifted({16, 16}, d, 3)}, {"B", randn({16, 4}, d)}}},
      {"float64, outliers", {{"A", shifted({16, 16}, d, 3)}, {"B", outliers({16, 4}, d, 0.02, 10)}}},
      {"float32, vector", {{"A", shifted({19, 19}, f, 3)}, {"B", randn({19}, f)}}},
      {"float32, columns", {{"A", randn({32, 32}, f)}, {"B", randn({32, 7}, f)}}},
      {"batch", {{"A", randn({3, 9, 9}, f)}, {"B", randn({3, 9, 2}, f)}}},
      {"one element", {{"A", values({-4}, {1, 1}, f)}, {"B", values({3}, f)}}},
      {"no columns", {{"A", shifted({5, 5}, f, 3)}, {"B", empty({5, 0}, f)}}},
      {"transposed", {{"A", transposed(randn({11, 11}, f))}, {"B", transposed(randn({3, 11}, f))}}},
  };
}

KBX_TASK(LinearAlgebra, solve) {
  return {
      .signature = "solve(A, B)",
      .description = R"(Solves A X = B for square, invertible A.
A is [n, n] and B [n] or [n, k]; or A is [..., n, n] and B [..., n, k] with equal batch dimensions. All are float32 or all
float64; the result is a new tensor of the shape and dtype of B. A is general, so rows must be exchanged (partial
pivoting). Singular and rectangular matrices are not asked for. k may be 0. Tensors may be strided views.
Compute in the dtype of A: TF32 and half types are refused.)",
      .snippet = R"(import torch


def solve(A, B):
    return torch.linalg.solve(A, B)
)",
      .reference = [](const Args& in) -> Results { return {at::linalg_solve(in.tensor("A"), in.tensor("B"))}; },
      .cases = solve_cases(),
      .sizes =
          [] {
            Sizes out;
            for (int64_t n = 16; n <= 2048; n *= 2)
              out.push_back(
                  {std::to_string(n),
                   {{"A", shifted({n, n}, at::kFloat, static_cast<double>(n))}, {"B", randn({n, 1}, at::kFloat)}}});
            return out;
          }(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor a = in.tensor("A"), b = in.tensor("B");
        const double n = static_cast<double>(a.size(-1));
        const double flops = 2.0 / 3 * n * static_cast<double>(a.numel()) + 2 * n * static_cast<double>(b.numel());
        return {.bytes_read = bytes_of(a) + bytes_of(b),
                .bytes_written = bytes_of(b),
                .flops = flops,
                .matrix_flops = flops};
      },
      .contract =
          {Invariants{solve_bounds},
           "elimination with partial pivoting leaves a residual within 16 sqrt(n + 1) spacings of |A||X| + |B|, "
           "however ill-conditioned A is; TF32 and half types leave thousands"},
  };
}

}  // namespace
}  // namespace kbx::task_solve
