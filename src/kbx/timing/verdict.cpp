// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/verdict.h"

#include <fmt/format.h>

#include <cmath>

namespace kbx::timing {
namespace {

// Below this no reader would act on a difference, and systematic errors between two processes are of its size.
constexpr double kNoticeable = 0.01;

Interval from_log(double log_point, double half) {
  return {.point = std::exp(log_point), .lo = std::exp(log_point - half), .hi = std::exp(log_point + half)};
}

double half_of(const Interval& interval) {
  return std::log(interval.hi / interval.lo) / 2;
}

// ln(sum b) - ln(sum c) varies as the sum over sizes of (b share - c share) d ln c + b share d ln(b / c). Its two parts
// are taken as independent, and so are sizes (delta method).
Interval sum_ratio(std::span<const SizeOutcome> sizes) {
  double base = 0, cand = 0;
  for (const SizeOutcome& s : sizes) {
    base += s.estimate->base_us.point;
    cand += s.estimate->cand_us.point;
  }
  double variance = 0;
  for (const SizeOutcome& s : sizes) {
    const Estimate& e = *s.estimate;
    const double base_share = e.base_us.point / base, cand_share = e.cand_us.point / cand;
    variance += std::pow((base_share - cand_share) * half_of(e.cand_us), 2) + std::pow(base_share * e.half_width, 2);
  }
  return from_log(std::log(base / cand), std::sqrt(variance));
}

Interval geometric_mean(std::span<const SizeOutcome> sizes) {
  double sum = 0, squares = 0;
  for (const SizeOutcome& s : sizes) {
    sum += std::log(s.estimate->speedup.point);
    squares += s.estimate->half_width * s.estimate->half_width;
  }
  const auto n = static_cast<double>(sizes.size());
  return from_log(sum / n, std::sqrt(squares) / n);
}

}  // namespace

std::string_view name_of(Speed speed) {
  switch (speed) {
    case Speed::kFaster:
      return "faster";
    case Speed::kSlower:
      return "slower";
    case Speed::kNoDifference:
      return "no difference";
    case Speed::kNoEstimate:
      break;
  }
  return "no estimate";
}

Said said_of(const Interval& speedup) {
  if (speedup.lo > 1 + kNoticeable) return {.speed = Speed::kFaster, .reason = {}};
  if (speedup.hi < 1 - kNoticeable) return {.speed = Speed::kSlower, .reason = {}};
  if (speedup.lo >= 1 - kNoticeable && speedup.hi <= 1 + kNoticeable)
    return {.speed = Speed::kNoDifference, .reason = {}};
  return {.speed = Speed::kNoEstimate,
          .reason =
              fmt::format("the interval, {:.4f} to {:.4f}, holds both a difference and none", speedup.lo, speedup.hi)};
}

Said said_of(const std::optional<Estimate>& estimate, const std::string& why_not) {
  if (!why_not.empty()) return {.speed = Speed::kNoEstimate, .reason = why_not};
  if (!estimate) return {.speed = Speed::kNoEstimate, .reason = "fewer than two blocks were measured"};
  return said_of(estimate->speedup);
}

TaskSpeed task_speed(std::span<const SizeOutcome> sizes) {
  TaskSpeed task;
  if (sizes.empty()) task.said.reason = "no size was timed";
  for (const SizeOutcome& s : sizes) {
    if (!s.why_not.empty() || !s.estimate) {
      const std::string why = s.why_not.empty() ? said_of(s.estimate).reason : s.why_not;
      task.said.reason = fmt::format("size '{}': {}", s.label, why);
      return task;
    }
  }
  if (sizes.empty()) return task;
  task.headline = sum_ratio(sizes);
  task.geometric = geometric_mean(sizes);
  task.said = said_of(*task.geometric);
  return task;
}

}  // namespace kbx::timing
