// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_det {
namespace {

// |adj A| in the Frobenius norm: its singular values are the products of all those of A but one.
at::Tensor adjugate_norm(const at::Tensor& a) {
  if (a.size(-1) > 256)  // the timed sizes, which are regular: an SVD would take minutes
    return at::linalg_det(a).abs() * at::linalg_inv(a).square().sum({-2, -1}).sqrt();
  const at::Tensor logs = at::linalg_svdvals(a).log();
  const at::Tensor before = at::constant_pad_nd(logs.cumsum(-1), {1, -1});
  const at::Tensor after = at::constant_pad_nd(logs.flip(-1).cumsum(-1), {1, -1}).flip(-1);
  return (before + after).exp().square().sum(-1).sqrt();
}

// An error E of A moves the determinant by the sum of E_ij adj_ji. Elimination makes errors of sqrt(n) spacings of the
// largest element, of independent signs.
Results det_slack(const Args& in) {
  const at::Tensor a = in.tensor("A").to(at::kDouble);
  const int64_t n = a.size(-1);
  if (n == 0) return {at::linalg_det(a) * 0};
  return {adjugate_norm(a) * a.abs().amax({-2, -1}) * std::sqrt(static_cast<double>(n))};
}

Cases det_cases() {
  const auto f = at::kFloat;
  return {
      {"identity", {{"A", eye(2, f)}}},
      {"uniform", {{"A", uniform({3, 3}, f)}}},
      {"zero", {{"A", full({4, 4}, 0, f)}}},
      {"2 x 2", {{"A", values({4, 7, 2, 6}, {2, 2}, f)}}},
      {"singular", {{"A", values({1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3}, f)}}},
      {"zero on the diagonal", {{"A", values({0, 2, 1, 3, 0, 2, 1, 1, 0}, {3, 3}, f)}}},
      {"odd permutation", {{"A", values({0, 1, 0, 1, 0, 0, 0, 0, 1}, {3, 3}, f)}}},
      {"small first pivot", {{"A", values({1e-7, 1, 1, 1}, {2, 2}, f)}}},
      {"4 x 4", {{"A", randn({4, 4}, f)}}},
      {"outliers", {{"A", outliers({4, 4}, f, 0.1, 20)}}},
      {"7 x 7", {{"A", randn({7, 7}, f)}}},
      {"20 x 20", {{"A", randn({20, 20}, f, 0.5)}}},
      {"37 x 37", {{"A", randn({37, 37}, f, 0.27)}}},
      {"batch", {{"A", randn({2, 3, 5, 5}, f)}}},
      {"one element", {{"A", values({-3}, {1, 1}, f)}}},
      {"transposed", {{"A", transposed(randn({9, 9}, f))}}},
  };
}

// I + N(0,1) / (2 sqrt(n)) with its rows moved on by one: determinant and partial products of pivots stay near one,
// where those of N(0,1) overflow from n = 64 on, and no pivot stands on the diagonal.
Recipe near_one(int64_t n) {
  return apply(
      randn({n, n}, at::kFloat, 0.5 / std::sqrt(static_cast<double>(n))),
      [](const at::Tensor& x) { return (x + at::eye(x.size(0), x.options())).roll(1, 0); }, "+ I, rows rolled by one");
}

KBX_TASK(LinearAlgebra, det) {
  return {
      .signature = "det(A)",
      .description = R"(Determinant of a square float32 matrix [n, n], or of each of a batch [..., n, n].
Returns a new float32 tensor of the batch's shape: without dimensions for a single matrix. A is general, so elimination
must exchange rows (partial pivoting) and count the sign. Singular matrices give zero within rounding, a zero matrix
exactly zero. A may be a strided view. Compute in float32: TF32 and half types are refused.)",
      .snippet = R"(import torch


def det(A):
    return torch.linalg.det(A)
)",
      .reference = [](const Args& in) -> Results { return {at::linalg_det(in.tensor("A"))}; },
      .cases = det_cases(),
      .sizes =
          [] {
            Sizes out;
            for (int64_t n = 16; n <= 8192; n *= 2) out.push_back({std::to_string(n), {{"A", near_one(n)}}});
            return out;
          }(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor a = in.tensor("A");
        const double n = static_cast<double>(a.size(-1));
        const double flops = 2.0 / 3 * n * static_cast<double>(a.numel());
        return {
            .bytes_read = bytes_of(a), .bytes_written = bytes_of(a) / (n * n), .flops = flops, .matrix_flops = flops};
      },
      .contract = {Relative{.ulps = 2, .scale = 2, .magnitude = det_slack},
                   "elimination is exact for a matrix that is off by some sqrt(n) spacings of its largest element, "
                   "which moves the determinant by that times |adj A|; TF32 and half types are thousands away"},
  };
}

}  // namespace
}  // namespace kbx::task_det
