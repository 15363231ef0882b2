// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace kbx::timing {
namespace {

// Lentz's evaluation of the continued fraction of the incomplete beta function (DLMF 8.17.22); converges fast for
// x < (a + 1) / (a + b + 2).
double beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  constexpr int kTerms = 500;
  const auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m <= kTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double step = 1;
    for (const double term : {even, odd}) {
      d = 1 / away_from_zero(1 + term * d);
      c = away_from_zero(1 + term / c);
      step = c * d;
      value *= step;
    }
    if (std::abs(step - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  return value;
}

// I_x(a, b), regularised.
double incomplete_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a : 1 - front * beta_fraction(1 - x, b, a) / b;
}

// P(T > t) for t >= 0.
double upper_tail(double t, double freedom) {
  return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
}

}  // namespace

double quantile(std::span<const double> sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return quantile(values, 0.5);
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> deviation(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const double centre = mean(values);
  double sum = 0;
  for (const double v : values) sum += (v - centre) * (v - centre);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

std::optional<Summary> summarise(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  Summary s{.median = quantile(values, 0.5),
            .q1 = quantile(values, 0.25),
            .q3 = quantile(values, 0.75),
            .p10 = quantile(values, 0.1),
            .p90 = quantile(values, 0.9),
            .min = values.front(),
            .n = values.size()};
  for (double& v : values) v = std::abs(v - s.median);
  s.mad = median(std::move(values));
  return s;
}

double student_t(double probability, double freedom) {
  if (probability < 0.5) return -student_t(1 - probability, freedom);
  const double tail = 1 - probability;
  double low = 0, high = 1;
  while (upper_tail(high, freedom) > tail) high *= 2;
  // Bisection: the tail falls monotonically, and 60 halvings are as much as a double holds.
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (upper_tail(middle, freedom) > tail ? low : high) = middle;
  }
  return (low + high) / 2;
}

std::optional<double> half_width(std::span<const double> values) {
  const auto spread = deviation(values);
  if (!spread) return std::nullopt;
  const auto n = static_cast<double>(values.size());
  return student_t(0.975, n - 1) * *spread / std::sqrt(n);
}

std::optional<double> quantum(std::vector<double> readings) {
  // Readings are floats of milliseconds: what differs by less than this is the same reading, rounded differently.
  constexpr double kSame = 1e-3;  // 1 ns, in microseconds
  std::ranges::sort(readings);
  std::optional<double> step;
  for (size_t i = 1; i < readings.size(); ++i) {
    const double gap = readings[i] - readings[i - 1];
    if (gap > kSame && (!step || gap < *step)) step = gap;
  }
  return step;
}

}  // namespace kbx::timing
