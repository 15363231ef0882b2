// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"
#include "kbx/task/residual.h"

namespace kbx::task_cholesky_solve {
namespace {

// The triangle that counts, as a lower one.
at::Tensor factor(const Args& in) {
  const at::Tensor l = in.tensor("L").to(at::kDouble);
  return in.flag("upper") ? l.triu().mT() : l.tril();
}

std::vector<Bounded> cholesky_solve_bounds(const Question& q) {
  const at::Tensor l = factor(q.before), b = q.before.tensor("B").to(at::kDouble), x = *q.got[0].as<at::Tensor>();
  const at::Tensor residual = at::matmul(l, at::matmul(l.mT(), x)) - b;
  const at::Tensor terms = at::matmul(l.abs(), at::matmul(l.mT().abs(), x.abs())) + b.abs();
  const double bound = stable_bound(l.size(-1), q.before.tensor("L").scalar_type());
  return {small("|L L^T X - B| / (|L||L^T||X| + |B|)", residual, frobenius(terms), bound)};
}

// The Cholesky factor of a random positive definite matrix.
Recipe cholesky_factor(Shape shape, at::ScalarType dtype) {
  return apply(
      positive_definite(randn(std::move(shape), at::kDouble), 0.1),
      [dtype](const at::Tensor& a) { return at::linalg_cholesky(a).to(dtype); }, "Cholesky factor");
}

Cases cholesky_solve_cases() {
  const auto f = at::kFloat, d = at::kDouble;
  const Recipe lower = values({2, 0, 1, 1}, {2, 2}, f), upper = values({2, 1, 0, 1}, {2, 2}, f);
  const Recipe b = values({1, 2}, {2, 1}, f);
  return {
      {"lower", {{"B", b}, {"L", lower}}},
      {"upper", {{"B", b}, {"L", upper}, {"upper", true}}},
      {"batch", {{"B", randn({2, 2, 1}, f)}, {"L", values({2, 0, 1, 1, 3, 0, 1, 2}, {2, 2, 2}, f)}}},
      {"batch, upper",
       {{"B", randn({2, 2, 1}, f)}, {"L", values({2, 1, 0, 1, 3, 1, 0, 2}, {2, 2, 2}, f)}, {"upper", true}}},
      {"float64", {{"B", randn({1, 16, 8}, d)}, {"L", cholesky_factor({1, 16, 16}, d)}}},
      {"float64, upper",
       {{"B", randn({4, 8, 4}, d)}, {"L", transposed(cholesky_factor({4, 8, 8}, d))}, {"upper", true}}},
      {"lower factor, upper triangle read",
       {{"B", randn({1, 16, 8}, d)}, {"L", cholesky_factor({1, 16, 16}, d)}, {"upper", true}}},
      {"other triangle not zero", {{"B", randn({9, 3}, f)}, {"L", randn({9, 9}, f, 0.3, 1)}}},
      {"other triangle not zero, upper", {{"B", randn({9, 3}, f)}, {"L", randn({9, 9}, f, 0.3, 1)}, {"upper", true}}},
      {"ragged", {{"B", randn({37, 5}, f)}, {"L", cholesky_factor({37, 37}, f)}}},
      {"outliers", {{"B", outliers({4, 8, 4}, f, 0.02, 10)}, {"L", cholesky_factor({4, 8, 8}, f)}}},
      {"one column", {{"B", randn({24, 1}, f)}, {"L", cholesky_factor({24, 24}, f)}}},
      {"one element", {{"B", values({3}, {1, 1}, f)}, {"L", values({-2}, {1, 1}, f)}}},
      {"no columns", {{"B", empty({5, 0}, f)}, {"L", cholesky_factor({5, 5}, f)}}},
      {"transposed B", {{"B", transposed(randn({4, 11}, f))}, {"L", cholesky_factor({11, 11}, f)}}},
      {"out", {{"B", randn({7, 3}, f)}, {"L", cholesky_factor({7, 7}, f)}, {"out", empty({7, 3}, f)}}},
  };
}

// Off-diagonal elements shrink with n, so that substitution does not overflow.
Sizes cholesky_solve_sizes() {
  Sizes out;
  for (int i = 4; i <= 15; ++i) {
    const int64_t n = int64_t{1} << i;
    out.push_back({std::to_string(n),
                   {{"B", uniform({n, 10}, at::kFloat)},
                    {"L", lower_triangular(uniform({n, n}, at::kFloat, 0, 1 / static_cast<double>(n)), 1)}}});
  }
  return out;
}

KBX_TASK(LinearAlgebra, cholesky_solve) {
  return {
      .signature = "cholesky_solve(B, L, upper=False, out=None)",
      .description = R"(Solves A X = B, given the Cholesky factor of the symmetric positive definite A.
L is [..., n, n] and B [..., n, k], both float32 or both float64, with equal batch dimensions; X has B's shape and dtype.
upper=False: A = L L^T and only the lower triangle of L is read. upper=True: A = L^T L with L upper triangular, and only
its upper triangle is read. The other triangle may hold anything. Diagonal elements are not zero but may be negative.
k may be 0. Tensors may be strided views. Without out a new tensor is returned; else X is written to out, which is
returned. Compute in the dtype of L: TF32 and half types are refused.)",
      .snippet = R"(import torch


def cholesky_solve(B, L, upper=False, out=None):
    return torch.cholesky_solve(B, L, upper=upper, out=out)
)",
      .reference = [](const Args& in) -> Results {
        return deliver(in, "out", at::cholesky_solve(in.tensor("B"), in.tensor("L"), in.flag("upper")));
      },
      .cases = cholesky_solve_cases(),
      .sizes = cholesky_solve_sizes(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor b = in.tensor("B"), l = in.tensor("L");
        const double n = static_cast<double>(l.size(-1));
        const double flops = 2 * n * static_cast<double>(b.numel());
        return {.bytes_read = bytes_of(b) + bytes_of(l) * (n + 1) / (2 * n),  // one triangle
                .bytes_written = bytes_of(b),
                .flops = flops,
                .matrix_flops = flops};
      },
      .contract = {Invariants{cholesky_solve_bounds},
                   "two substitutions leave a residual within 16 sqrt(n + 1) spacings of |L||L^T||X| + |B|, however "
                   "ill-conditioned A is; TF32 and half types leave thousands"},
      .mutates = {"out"},
  };
}

}  // namespace
}  // namespace kbx::task_cholesky_solve
