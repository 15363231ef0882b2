// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"
#include "kbx/task/residual.h"

namespace kbx::task_eig {
namespace {

// Pairs each exact eigenvalue with the nearest one left, and answers with the largest distance of a pair.
double matching_distance(const at::Tensor& got, const at::Tensor& exact) {
  at::Tensor distances = (exact.unsqueeze(1) - got.unsqueeze(0)).abs();
  double largest = 0;
  for (int64_t i = 0; i < exact.size(0); ++i) {
    const auto [distance, place] = distances[i].min(0);
    const double here = distance.item<double>();
    if (!(here <= largest)) largest = here;  // a NaN stays
    distances.select(1, place.item<int64_t>()).fill_(INFINITY);
  }
  return largest;
}

// How much the eigenvalues move with A, at most: of unit right vectors the length of the left ones that they meet.
double condition(const at::Tensor& vectors) {
  return at::linalg_inv(vectors).abs().square().sum(-1).sqrt().max().item<double>();
}

double smallest_singular(const at::Tensor& vectors) {
  return at::linalg_svdvals(vectors).min().item<double>();
}

std::vector<Bounded> one_matrix(const at::Tensor& a, const at::Tensor& w, const at::Tensor& v,
                                const at::Tensor& exact_w, const at::Tensor& exact_v, double bound) {
  const double n = static_cast<double>(a.size(-1)), norm = frobenius(a).item<double>();
  return {
      small("|A V - V diag(w)| / |A|", at::matmul(a.to(v.scalar_type()), v) - v * w.unsqueeze(-2), frobenius(a), bound),
      {.quantity = "distance of a vector's length from 1",
       .error = (v.abs().square().sum(-2).sqrt() - 1).abs().max().item<double>(),
       .bound = bound},
      {.quantity = "distance of the eigenvalues from the exact ones",
       .error = matching_distance(w, exact_w),
       .bound = bound * norm * condition(exact_v)},
      {.quantity = "dependence of the vectors, relative to the exact ones",
       .error = smallest_singular(exact_v) / smallest_singular(v),
       .bound = 100 * n},
  };
}

std::vector<Bounded> eig_bounds(const Question& q) {
  const at::Tensor input = q.before.tensor("A");
  const int64_t n = input.size(-1);
  const auto complex = [](const Value& value) { return value.as<at::Tensor>()->to(at::kComplexDouble); };
  const at::Tensor a = input.to(at::kDouble).reshape({-1, n, n});
  const at::Tensor w = complex(q.got[0]).reshape({-1, n}), v = complex(q.got[1]).reshape({-1, n, n});
  const at::Tensor exact_w = complex(q.expected[0]).reshape({-1, n}),
                   exact_v = complex(q.expected[1]).reshape({-1, n, n});
  if (!at::isfinite(v).all().item<bool>()) return {{.quantity = "vectors that are not finite", .error = INFINITY}};
  std::vector<Bounded> out;
  for (int64_t i = 0; i < a.size(0); ++i)
    for (Bounded& b : one_matrix(a[i], w[i], v[i], exact_w[i], exact_v[i], stable_bound(n, input.scalar_type())))
      out.push_back(std::move(b));
  return out;
}

Cases eig_cases() {
  const auto f = at::kFloat, d = at::kDouble;
  const auto shifted = [](Recipe inner) {
    return apply(
        symmetric(std::move(inner)), [](const at::Tensor& x) { return x + at::eye(x.size(-1), x.options()) * 1e-3; },
        "+ 0.001 I");
  };
  return {
      {"diagonal", {{"A", values({2, 0, 0, 3}, {2, 2}, f)}}},
      {"identity", {{"A", eye(2, f)}}},
      {"rotation", {{"A", values({0, -1, 0, 1, 0, 0, 0, 0, 1}, {3, 3}, f)}}},
      {"twice 5", {{"A", values({4, 1, 0, 1, 4, 0, 0, 0, 5}, {3, 3}, f)}}},
      {"upper triangular", {{"A", values({1, 2, 3, 0, 4, 5, 0, 0, -6}, {3, 3}, f)}}},
      {"symmetric, float64", {{"A", shifted(randn({8, 8}, d))}}},
      {"symmetric, 16", {{"A", shifted(randn({16, 16}, d))}}},
      {"general, float64", {{"A", randn({12, 12}, d)}}},
      {"general, float32", {{"A", randn({7, 7}, f)}}},
      {"general, 23", {{"A", randn({23, 23}, f)}}},
      {"uniform", {{"A", uniform({16, 16}, f)}}},
      {"batch", {{"A", randn({2, 3, 5, 5}, f)}}},
      {"one element", {{"A", values({-2.5}, {1, 1}, f)}}},
      // Not one that is stored by columns: torch 2.11 on a GPU decomposes that in place, so its own eig changes A
      // there.
      {"strided", {{"A", strided(randn({9, 18}, f), 1, 2)}}},
  };
}

KBX_TASK(LinearAlgebra, eig) {
  return {
      .signature = "eig(A)",
      .description =
          R"(Eigenvalues and eigenvectors of a general real matrix [n, n] or a batch [..., n, n]: A V = V diag(w).
Returns the tuple (w, V): w [..., n] holds every eigenvalue as often as it occurs, V [..., n, n] one eigenvector of
length 1 in each column, belonging to w at the same place. Both are complex, also where every eigenvalue is real:
complex64 for float32, complex128 for float64. The order of eigenvalues, the phases of the vectors, and the basis of
vectors that belong to equal eigenvalues are free, but the columns of V are linearly independent.
A has n independent eigenvectors; it may be a strided view. Compute in the dtype of A.)",
      .snippet = R"(import torch


def eig(A):
    values, vectors = torch.linalg.eig(A)
    return values, vectors
)",
      .reference = [](const Args& in) -> Results {
        auto [w, v] = at::linalg_eig(in.tensor("A"));
        return {w, v};
      },
      .cases = eig_cases(),
      .sizes =
          [] {
            Sizes out;
            for (int64_t n = 64; n <= 1024; n *= 2)
              out.push_back({std::to_string(n), {{"A", uniform({n, n}, at::kFloat)}}});
            return out;
          }(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor a = in.tensor("A");
        const double n = static_cast<double>(a.size(-1)), batch = static_cast<double>(a.numel()) / (n * n);
        // Hessenberg form, QR iterations with vectors, back substitution: about 25 n^3.
        return {.bytes_read = bytes_of(a),
                .bytes_written = 2 * bytes_of(a) * (1 + 1 / n),
                .flops = 25 * batch * n * n * n,
                .matrix_flops = 25 * batch * n * n * n};
      },
      .contract = {Invariants{eig_bounds},
                   "a backward stable method finds the exact pairs of a matrix off by 16 sqrt(n + 1) spacings of |A|; "
                   "that moves eigenvalues by their condition; phases, order and bases of equal eigenvalues are free"},
  };
}

}  // namespace
}  // namespace kbx::task_eig
