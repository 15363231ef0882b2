// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"
#include "kbx/task/residual.h"

namespace kbx::task_lu {
namespace {

// torch factors without pivots on CUDA only; the reference must run anywhere.
Results unpivoted(const at::Tensor& a) {
  const int64_t m = a.size(-2), n = a.size(-1), k = std::min(m, n);
  at::Tensor w = a.clone();
  for (int64_t j = 0; j < k; ++j) {
    at::Tensor column = w.narrow(-1, j, 1).narrow(-2, j + 1, m - j - 1);
    column.div_(w.narrow(-1, j, 1).narrow(-2, j, 1));
    const at::Tensor row = w.narrow(-2, j, 1).narrow(-1, j + 1, n - j - 1);
    w.narrow(-2, j + 1, m - j - 1).narrow(-1, j + 1, n - j - 1).sub_(column * row);
  }
  return {at::empty({0}, a.options()), w.narrow(-1, 0, k).tril(-1) + at::eye(m, k, a.options()),
          w.narrow(-2, 0, k).triu()};
}

Results factors(const Args& in) {
  const at::Tensor a = in.tensor("A");
  if (!in.flag("pivot")) return unpivoted(a);
  auto [p, l, u] = at::linalg_lu(a, true);
  return {p, l, u};
}

Results lu_reference(const Args& in) {
  Results result = factors(in);
  if (!in.has("out")) return result;
  const std::vector<at::Tensor> out = in.tensors("out");
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].copy_(*result[i].as<at::Tensor>());
    result[i] = out[i];
  }
  return result;
}

// Zeros and ones, a single one in each row and column.
Bounded permutation_of(const at::Tensor& p) {
  const at::Tensor bits = (p * (p - 1)).abs().sum({-2, -1});
  const at::Tensor rows = (p.sum(-1) - 1).abs().sum(-1), columns = (p.sum(-2) - 1).abs().sum(-1);
  return zero("P, distance from a permutation", bits + rows + columns);
}

std::vector<Bounded> lu_bounds(const Question& q) {
  const at::Tensor input = q.before.tensor("A"), a = input.to(at::kDouble);
  const at::Tensor p = *q.got[0].as<at::Tensor>(), l = *q.got[1].as<at::Tensor>(), u = *q.got[2].as<at::Tensor>();
  const double bound = stable_bound(std::max(a.size(-2), a.size(-1)), input.scalar_type());
  const bool pivot = q.before.flag("pivot");
  const at::Tensor product = at::matmul(l, u);
  // Without pivots elements may grow; how much is a property of A, taken from the exact factors.
  const at::Tensor growth =
      frobenius(at::matmul(q.expected[1].as<at::Tensor>()->abs(), q.expected[2].as<at::Tensor>()->abs()));
  std::vector<Bounded> out = {
      small("|P L U - A| / |L||U|", (pivot ? at::matmul(p, product) : product) - a, growth, bound),
      zero("L above the diagonal", l.triu(1)),
      zero("L's diagonal - 1", l.diagonal(0, -2, -1) - 1),
      zero("U below the diagonal", u.tril(-1)),
  };
  if (!pivot) return out;
  out.push_back(permutation_of(p));
  out.push_back({.quantity = "largest |element of L|: partial pivoting",
                 .error = l.numel() == 0 ? 0 : l.abs().max().item<double>(),
                 .bound = 1 + bound});
  return out;
}

Recipe dominant(Shape shape, at::ScalarType dtype) {
  return apply(
      randn(std::move(shape), dtype),
      [](const at::Tensor& x) { return x + 3 * at::eye(x.size(-2), x.size(-1), x.options()); }, "+ 3 I");
}

Cases lu_cases() {
  const auto f = at::kFloat, d = at::kDouble;
  return {
      {"2 x 2", {{"A", randn({2, 2}, f)}}},
      {"pivot needed", {{"A", values({0, 1, 2, 1, 1, 0, 3, 2, 1}, {3, 3}, f)}}},
      {"small first pivot", {{"A", values({1e-6, 1, 1, 1}, {2, 2}, f)}}},
      {"wide, no pivots", {{"A", dominant({2, 3}, f)}, {"pivot", false}}},
      {"batch of small", {{"A", randn({4, 2, 2}, f)}}},
      {"23 x 23", {{"A", randn({23, 23}, f)}, {"pivot", true}}},
      {"16 x 16, float64", {{"A", randn({16, 16}, d)}, {"pivot", true}}},
      {"8 x 12, float64, no pivots", {{"A", dominant({8, 12}, d)}, {"pivot", false}}},
      {"tall, no pivots", {{"A", dominant({9, 5}, f)}, {"pivot", false}}},
      {"tall", {{"A", randn({19, 7}, f)}}},
      {"wide", {{"A", randn({7, 19}, f)}}},
      {"batch, float64", {{"A", randn({4, 16, 16}, d)}, {"pivot", true}}},
      {"batch, no pivots", {{"A", dominant({2, 3, 6, 6}, f)}, {"pivot", false}}},
      {"outliers", {{"A", outliers({16, 16}, f, 0.02, 10)}}},
      {"outliers, float64", {{"A", outliers({16, 16}, d, 0.02, 10)}}},
      {"singular", {{"A", values({1, 2, 3, 2, 4, 6, 1, 1, 1}, {3, 3}, f)}}},
      {"one element", {{"A", values({-3}, {1, 1}, f)}}},
      {"transposed", {{"A", transposed(randn({12, 10}, f))}}},
      {"out", {{"A", randn({6, 4}, f)}, {"out", list_of({empty({6, 6}, f), empty({6, 4}, f), empty({4, 4}, f)})}}},
  };
}

KBX_TASK(LinearAlgebra, lu) {
  return {
      .signature = "lu(A, pivot=True, out=None)",
      .description = R"(LU decomposition of a matrix [m, n] or a batch [..., m, n], float32 or float64; results have
A's dtype. With k = min(m, n) returns the tuple (P, L, U):
pivot=True: A = P L U with partial pivoting. P [..., m, m] is a permutation matrix of zeros and ones, L [..., m, k] is
lower triangular with ones on the diagonal and no element above 1 in magnitude, U [..., k, n] is upper triangular.
pivot=False: A = L U without exchanging rows; P is an empty tensor of shape [0]. A is such that no pivot vanishes.
The triangles that are zero by definition hold exact zeros. Which of several equally large pivots is taken is free.
A may be singular when pivot=True (a zero pivot leaves its column of multipliers zero), and may be a strided view.
out: None, or a tuple of three tensors of the right shapes and dtype, into which P, L and U are written and which are
returned. Compute in the dtype of A: TF32 and half types are refused.)",
      .snippet = R"(import torch


def _unpivoted(A):
    m, n = A.shape[-2:]
    k = min(m, n)
    W = A.clone()
    for j in range(k):
        W[..., j + 1:, j] /= W[..., j, j].unsqueeze(-1)
        W[..., j + 1:, j + 1:] -= W[..., j + 1:, j].unsqueeze(-1) * W[..., j, j + 1:].unsqueeze(-2)
    L = W[..., :k].tril(-1) + torch.eye(m, k, dtype=A.dtype, device=A.device)
    return A.new_empty(0), L, W[..., :k, :].triu()


def lu(A, pivot=True, out=None):
    result = tuple(torch.linalg.lu(A)) if pivot else _unpivoted(A)
    if out is None:
        return result
    for target, value in zip(out, result):
        target.copy_(value)
    return out
)",
      .reference = lu_reference,
      .cases = lu_cases(),
      .sizes =
          [] {
            Sizes out;
            for (int64_t i = 2; i <= 12; ++i)
              out.push_back({std::to_string(128 * i), {{"A", uniform({128 * i, 128 * i}, at::kFloat)}}});
            return out;
          }(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor a = in.tensor("A");
        const double m = static_cast<double>(a.size(-2)), n = static_cast<double>(a.size(-1)), k = std::min(m, n);
        const double batch = static_cast<double>(a.numel()) / (m * n);
        const double flops = batch * (2 * m * n * k - (m + n) * k * k + 2.0 / 3 * k * k * k);
        return {.bytes_read = bytes_of(a),
                .bytes_written = batch * (m * m + m * k + k * n) * static_cast<double>(a.element_size()),
                .flops = flops,
                .matrix_flops = flops};
      },
      .contract = {Invariants{lu_bounds},
                   "Gaussian elimination reproduces A within 16 sqrt(n + 1) spacings of |L||U|; P, the triangles and "
                   "the unit diagonal are exact, and partial pivoting keeps the multipliers at 1 or below"},
      .mutates = {"out"},
  };
}

}  // namespace
}  // namespace kbx::task_lu
