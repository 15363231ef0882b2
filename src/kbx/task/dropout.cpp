// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/dropout.h"

#include <ATen/ATen.h>

#include <cmath>
#include <set>
#include <string>

namespace kbx {
namespace {

// A fair mask exceeds six standard deviations once in 5e8 tests; the 3 are for samples too small for the normal law.
double chance(double variance, double n) {
  return 6 * std::sqrt(variance / n) + 3 / n;
}

// Masks that repeat: one seed for every block or row shows as correlation at the block's length.
Bounded correlation(const at::Tensor& deviation, int64_t lag, double variance) {
  const int64_t pairs = deviation.numel() - lag;
  const at::Tensor products = deviation.narrow(0, 0, pairs) * deviation.narrow(0, lag, pairs);
  return {.quantity = "|correlation of the mask with itself, " + std::to_string(lag) + " elements on|",
          .error = std::abs(products.sum().item<double>()) / static_cast<double>(pairs),
          .bound = chance(variance * variance, static_cast<double>(pairs))};
}

// Distances at which a mask repeats that is drawn once for all blocks or for all rows.
std::set<int64_t> lags(int64_t elements, int64_t row) {
  std::set<int64_t> out = {1, row};
  for (int64_t block = 32; block <= 65536; block *= 2) out.insert(block);
  std::erase_if(out, [&](int64_t lag) { return lag > 1 && 2 * lag > elements; });
  return out;
}

std::vector<Bounded> mask_bounds(const at::Tensor& got, const at::Tensor& visible, double p, int64_t row) {
  const double n = static_cast<double>(visible.sum().item<int64_t>());
  if (n == 0) return {};
  const at::Tensor dropped = got.eq(0).logical_and(visible);
  const double share = static_cast<double>(dropped.sum().item<int64_t>()) / n;
  const double variance = p * (1 - p);
  std::vector<Bounded> out = {
      {.quantity = "|share of dropped elements - p|", .error = std::abs(share - p), .bound = chance(variance, n)}};
  // Elements that cannot be told count as deviation zero, which only narrows the sums.
  const at::Tensor deviation = (dropped.to(at::kDouble) - p) * visible.to(at::kDouble);
  for (const int64_t lag : lags(deviation.numel(), row)) out.push_back(correlation(deviation, lag, variance));
  return out;
}

}  // namespace

bool dropout_draws(bool training, double p) {
  return training && p > 0 && p < 1;
}

std::vector<Bounded> dropout_bounds(const at::Tensor& got, const at::Tensor& kept, const at::Tensor& slack, double p) {
  if (got.numel() == 0) return {};
  const at::Tensor y = got.reshape({-1}), k = kept.reshape({-1}), s = slack.reshape({-1});
  if (p == 1) return {{.quantity = "largest element where all are dropped", .error = y.abs().max().item<double>()}};
  at::Tensor distance = (y - k).abs();
  if (dropout_draws(true, p)) distance = at::minimum(distance, y.abs());
  const at::Tensor excess = distance / at::where(distance.eq(0), at::ones_like(s), s);
  std::vector<Bounded> out = {{.quantity = "distance to zero or the kept value, in units of its bound",
                               .error = excess.max().item<double>(),
                               .bound = 1}};
  if (!dropout_draws(true, p) || y.numel() < 2) return out;
  for (Bounded& bounded : mask_bounds(y, k.abs().gt(2 * s), p, got.size(-1))) out.push_back(std::move(bounded));
  return out;
}

}  // namespace kbx
