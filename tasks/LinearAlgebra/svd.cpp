// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"
#include "kbx/task/residual.h"

namespace kbx::task_svd {
namespace {

std::vector<Bounded> svd_bounds(const Question& q) {
  const at::Tensor input = q.before.tensor("A"), a = input.to(at::kDouble);
  const at::Tensor u = *q.got[0].as<at::Tensor>(), s = *q.got[1].as<at::Tensor>(), vh = *q.got[2].as<at::Tensor>();
  const int64_t k = s.size(-1);
  const double bound = stable_bound(std::max(a.size(-2), a.size(-1)), input.scalar_type());
  const at::Tensor product = at::matmul(u.narrow(-1, 0, k) * s.unsqueeze(-2), vh.narrow(-2, 0, k));
  const at::Tensor exact = *q.expected[1].as<at::Tensor>();
  std::vector<Bounded> out = {
      small("|U diag(S) Vh - A| / |A|", product - a, frobenius(a), bound),
      orthonormal("|U^T U - I| / |I|", u, bound),
      orthonormal("|Vh Vh^T - I| / |I|", vh.mT(), bound),
      small("|S - exact S| / |A|", (s - exact).unsqueeze(-1), frobenius(a), bound),
      zero("negative singular values", s.clamp_max(0)),
  };
  if (k > 1) out.push_back(zero("singular values out of order", s.diff(1, -1).clamp_min(0)));
  return out;
}

// U diag(1 .. 10^-5) V^T with orthogonal U and V of a random matrix: what A^T A loses.
Recipe five_decades(int64_t rows, int64_t columns) {
  return apply(
      randn({rows, columns}, at::kFloat),
      [](const at::Tensor& x) {
        const auto [u, s, vh] = at::linalg_svd(x.to(at::kDouble), false);
        const at::Tensor spread = at::logspace(0, -5, s.size(0), 10, s.options());
        return at::matmul(u * spread, vh).to(x.scalar_type());
      },
      "singular values 1 .. 1e-5");
}

Recipe rank(int64_t r, int64_t rows, int64_t columns) {
  return apply(
      randn({rows, columns}, at::kFloat),
      [r](const at::Tensor& x) { return at::matmul(x.narrow(1, 0, r), x.narrow(0, 0, r)); },
      "rank " + std::to_string(r));
}

Cases svd_cases() {
  const auto f = at::kFloat;
  return {
      {"symmetric", {{"A", values({3, 1, 1, 3}, {2, 2}, f)}, {"full_matrices", true}}},
      {"tall, reduced", {{"A", values({1, 2, 3, 4, 5, 6}, {3, 2}, f)}, {"full_matrices", false}}},
      {"wide, full", {{"A", values({1, 2, 3, 4, 5, 6}, {2, 3}, f)}, {"full_matrices", true}}},
      {"identity", {{"A", eye(3, f)}, {"full_matrices", false}}},
      {"zero", {{"A", full({3, 2}, 0, f)}}},
      {"one element", {{"A", values({-2.5}, {1, 1}, f)}}},
      {"24 x 12, full", {{"A", randn({24, 12}, f)}, {"full_matrices", true}}},
      {"64 x 32, reduced", {{"A", randn({64, 32}, f)}, {"full_matrices", false}}},
      {"wide, reduced", {{"A", randn({7, 19}, f)}, {"full_matrices", false}}},
      {"batch, reduced", {{"A", randn({3, 17, 9}, f)}, {"full_matrices", false}}},
      {"batch, full", {{"A", randn({2, 2, 5, 6}, f)}}},
      {"outliers", {{"A", outliers({32, 16}, f, 0.01, 10)}, {"full_matrices", true}}},
      {"rank 3", {{"A", rank(3, 12, 12)}, {"full_matrices", false}}},
      {"five decades", {{"A", five_decades(16, 11)}, {"full_matrices", false}}},
      {"transposed", {{"A", transposed(randn({9, 20}, f))}, {"full_matrices", false}}},
      {"128 x 96", {{"A", randn({128, 96}, f)}, {"full_matrices", false}}, true},
  };
}

KBX_TASK(LinearAlgebra, svd) {
  return {
      .signature = "svd(A, full_matrices=True)",
      .description = R"(Singular value decomposition A = U diag(S) Vh of a float32 matrix [m, n] or a batch [..., m, n].
Returns the tuple (U, S, Vh), all float32, with k = min(m, n): S [..., k] is not negative and does not increase; with
full_matrices U is [..., m, m] and Vh [..., n, n], both orthogonal; without, U is [..., m, k] with orthonormal columns
and Vh [..., k, n] with orthonormal rows. Note that Vh holds the right singular vectors as rows.
Signs of the vectors, the basis of vectors that belong to equal singular values, and the additional columns of U or rows
of Vh are free: any decomposition is right that fulfils the equations in float32. A may be rank deficient, even zero,
its singular values may spread over five decades (so forming A^T A is not enough), and A may be a strided view.)",
      .snippet = R"(import torch


def svd(A, full_matrices=True):
    U, S, Vh = torch.linalg.svd(A, full_matrices=full_matrices)
    return U, S, Vh
)",
      .reference = [](const Args& in) -> Results {
        auto [u, s, vh] = at::linalg_svd(in.tensor("A"), in.flag("full_matrices"));
        return {u, s, vh};
      },
      .cases = svd_cases(),
      .sizes =
          [] {
            Sizes out;
            for (int64_t n = 16; n <= 256; n *= 2)
              out.push_back({std::to_string(n), {{"A", uniform({n, n}, at::kFloat)}, {"full_matrices", true}}});
            return out;
          }(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor a = in.tensor("A");
        const double m = static_cast<double>(std::max(a.size(-2), a.size(-1)));
        const double n = static_cast<double>(std::min(a.size(-2), a.size(-1)));
        const double batch = static_cast<double>(a.numel()) / (m * n), element = static_cast<double>(a.element_size());
        const double vectors = in.flag("full_matrices") ? m * m + n * n : m * n + n * n;
        // Bidiagonal form: 4 m n^2 - 4/3 n^3.
        return {.bytes_read = bytes_of(a),
                .bytes_written = batch * (vectors + n) * element,
                .flops = batch * (4 * m * n * n - 4.0 / 3 * n * n * n),
                .matrix_flops = batch * (4 * m * n * n - 4.0 / 3 * n * n * n)};
      },
      .contract = {Invariants{svd_bounds},
                   "a backward stable SVD in float32 reproduces A, the orthogonality of its factors and the singular "
                   "values within 16 sqrt(n + 1) spacings of the norms; the vectors themselves are not unique"},
  };
}

}  // namespace
}  // namespace kbx::task_svd
