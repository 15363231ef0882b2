// SPDX-License-Identifier: Apache-2.0
// The arithmetic of timing: quantiles, spreads and intervals. Pure functions of numbers; what has too few of them is
// absent, never a number that looks like an estimate. Checked against SciPy (statistics_test.cpp).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace kbx::timing {

// Of sorted, non-empty values: linear between order statistics, Hyndman and Fan's type 7, as numpy does it.
double quantile(std::span<const double> sorted, double share);
// Of non-empty values in any order.
double median(std::vector<double> values);
double mean(std::span<const double> values);
// With n - 1; absent below two values.
std::optional<double> deviation(std::span<const double> values);

// What is published of the samples of one side. No sample is removed: the median carries the outliers.
struct Summary {
  double median = 0, q1 = 0, q3 = 0, p10 = 0, p90 = 0, min = 0;
  double mad = 0;  // median of |value - median|, not scaled to a normal distribution
  size_t n = 0;
};
std::optional<Summary> summarise(std::vector<double> values);

// The value that a t-distributed variable stays below with this probability. freedom: degrees of freedom, >= 1.
double student_t(double probability, double freedom);
// Half of the two-sided 95 % interval of the mean: t(0.975, n - 1) s / sqrt(n). Absent below two values.
std::optional<double> half_width(std::span<const double> values);

// The smallest step between readings of a clock: what two different readings differ by at least. Absent when all are
// the same.
std::optional<double> quantum(std::vector<double> readings);

}  // namespace kbx::timing
