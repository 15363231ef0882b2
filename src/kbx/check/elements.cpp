// SPDX-License-Identifier: Apache-2.0
#include "kbx/check/elements.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "kbx/task/families.h"

namespace kbx {
namespace {

using Complex = c10::complex<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Fit { kFits, kBeyond, kNonfinite };

struct Reading {
  Fit fit = Fit::kFits;
  double error = 0;
  double bound = 0;
  double strain() const { return fit != Fit::kFits ? kInfinity : (bound > 0 ? error / bound : 0); }
};

// What a chunk of elements gave; chunks are added up in their order, so the answer does not depend on threads.
struct Tally {
  int64_t beyond = 0, nonfinite = 0;
  int64_t worst = -1;      // index of the worst element that is finite where it should be
  int64_t first_bad = -1;  // of the first that is not
  Reading reading;

  void count(int64_t index, const Reading& r) {
    if (r.fit == Fit::kNonfinite) {
      if (nonfinite++ == 0) first_bad = index;
      return;
    }
    if (r.fit == Fit::kBeyond) ++beyond;
    if (worst < 0 || worse(r, reading)) worst = index, reading = r;
  }

  void add(const Tally& other) {
    if (nonfinite == 0) first_bad = other.first_bad;
    beyond += other.beyond, nonfinite += other.nonfinite;
    if (other.worst >= 0 && (worst < 0 || worse(other.reading, reading))) worst = other.worst, reading = other.reading;
  }

  // Beyond every fit; among those beyond, by the share of the bound, or by the error where the bound is zero.
  static bool worse(const Reading& a, const Reading& b) {
    const bool a_beyond = a.fit == Fit::kBeyond, b_beyond = b.fit == Fit::kBeyond;
    if (a_beyond != b_beyond) return a_beyond;
    if (!a_beyond) return a.strain() > b.strain();
    const double of_a = a.error / a.bound, of_b = b.error / b.bound;
    return of_a > of_b || (of_a == of_b && a.error > b.error);
  }
};

bool is_nan(double v) {
  return std::isnan(v);
}
bool is_inf(double v) {
  return std::isinf(v);
}
bool is_inf(const Complex& v) {
  return std::isinf(v.real()) || std::isinf(v.imag());
}
bool is_nan(const Complex& v) {
  return !is_inf(v) && (std::isnan(v.real()) || std::isnan(v.imag()));
}
bool same_infinity(double a, double b) {
  return a == b;
}
bool same_infinity(const Complex& a, const Complex&) {
  return is_inf(a);
}
bool same_sign(double a, double b) {
  return std::signbit(a) == std::signbit(b);
}
bool same_sign(const Complex& a, const Complex& b) {
  return same_sign(a.real(), b.real()) && same_sign(a.imag(), b.imag());
}
// Infinity in the direction of a finite value; a complex infinity has none that arithmetic agrees on.
bool points_along(double infinity, double v) {
  return std::signbit(infinity) == std::signbit(v);
}
bool points_along(const Complex&, const Complex&) {
  return true;
}

Reading read(int64_t got, int64_t expected, double, const Allowance&) {
  if (got == expected) return {};
  return {.fit = Fit::kBeyond, .error = std::abs(static_cast<double>(got) - static_cast<double>(expected))};
}

template <typename T>
Reading read(T got, T expected, double magnitude, const Allowance& allowed) {
  if (is_nan(expected)) return {.fit = is_nan(got) ? Fit::kFits : Fit::kNonfinite};
  if (is_nan(got)) return {.fit = Fit::kNonfinite};
  if (is_inf(expected)) return {.fit = same_infinity(got, expected) ? Fit::kFits : Fit::kNonfinite};
  const double size = std::abs(expected);
  const double bound =
      allowed.relative * std::max(size, allowed.smallest) + allowed.scale * magnitude + allowed.absolute;
  if (is_inf(got)) {
    const bool overflows = size + bound >= allowed.largest && points_along(got, expected);
    return {.fit = overflows ? Fit::kFits : Fit::kNonfinite, .bound = bound};
  }
  const double error = std::abs(got - expected);
  const bool zero_differs = allowed.signed_zero && size == 0 && !same_sign(got, expected);
  return {.fit = error <= bound && std::isfinite(bound) && !zero_differs ? Fit::kFits : Fit::kBeyond,
          .error = error,
          .bound = bound};
}

template <typename T>
Tally tally(const at::Tensor& got, const at::Tensor& expected, const Allowance& allowed) {
  constexpr int64_t kChunk = 1 << 16;
  constexpr at::ScalarType kWide = c10::CppTypeToScalarType<T>::value;
  const at::Tensor g = got.reshape({-1}), e = expected.reshape({-1});
  const at::Tensor m = allowed.magnitude.defined() ? allowed.magnitude.expand_as(expected).reshape({-1}) : at::Tensor();
  std::vector<Tally> chunks(static_cast<size_t>((g.numel() + kChunk - 1) / kChunk));
  at::parallel_for(0, static_cast<int64_t>(chunks.size()), 1, [&](int64_t first, int64_t last) {
    for (int64_t chunk = first; chunk < last; ++chunk) {
      const int64_t from = chunk * kChunk, count = std::min(kChunk, g.numel() - from);
      // Contiguous: an expanded tensor can be flattened into a view of stride zero.
      const auto part = [&](const at::Tensor& t, at::ScalarType dtype) {
        return t.narrow(0, from, count).to(dtype).contiguous();
      };
      const at::Tensor gs = part(g, kWide), es = part(e, kWide);
      const at::Tensor ms = m.defined() ? part(m, at::kDouble) : at::Tensor();
      const T* const gp = gs.const_data_ptr<T>();
      const T* const ep = es.const_data_ptr<T>();
      const double* const mp = ms.defined() ? ms.const_data_ptr<double>() : nullptr;
      for (int64_t i = 0; i < count; ++i)
        chunks[static_cast<size_t>(chunk)].count(from + i, read(gp[i], ep[i], mp ? mp[i] : 0.0, allowed));
    }
  });
  Tally all;
  for (const Tally& chunk : chunks) all.add(chunk);
  return all;
}

Tally tally_of_kind(const at::Tensor& got, const at::Tensor& expected, const Allowance& allowed) {
  if (got.is_complex() || expected.is_complex()) return tally<Complex>(got, expected, allowed);
  if (got.is_floating_point() || expected.is_floating_point()) return tally<double>(got, expected, allowed);
  return tally<int64_t>(got, expected, allowed);
}

std::vector<int64_t> index_of(int64_t flat, at::IntArrayRef sizes) {
  std::vector<int64_t> index(sizes.size());
  for (size_t d = sizes.size(); d-- > 0; flat /= sizes[d]) index[d] = flat % sizes[d];
  return index;
}

// Digits enough to tell every value of the dtype from its neighbours.
int digits_of(at::ScalarType dtype) {
  switch (c10::toRealValueType(dtype)) {
    case at::kHalf:
      return 5;
    case at::kBFloat16:
      return 4;
    case at::kDouble:
      return 17;
    default:
      return 9;
  }
}

std::string printed(const at::Tensor& element, at::ScalarType dtype) {
  const int digits = digits_of(dtype);
  if (element.is_complex()) {
    const Complex v = element.to(at::kComplexDouble).item<Complex>();
    return fmt::format("{:.{}g}{:+.{}g}j", v.real(), digits, v.imag(), digits);
  }
  if (element.is_floating_point()) return fmt::format("{:.{}g}", element.to(at::kDouble).item<double>(), digits);
  return element.scalar_type() == at::kBool ? (element.item<bool>() ? "True" : "False")
                                            : std::to_string(element.to(at::kLong).item<int64_t>());
}

Worst worst_at(const std::string& path, const at::Tensor& got, const at::Tensor& expected, at::ScalarType dtype,
               int64_t flat, const Reading& reading) {
  Worst worst{.output = path,
              .index = index_of(flat, got.sizes()),
              .expected = {},
              .got = {},
              .error = reading.error,
              .bound = reading.bound};
  const auto element = [&](at::Tensor t) {
    for (const int64_t i : worst.index) t = t.select(0, i);
    return printed(t, dtype);
  };
  worst.expected = element(expected), worst.got = element(got);
  return worst;
}

std::string place(const Worst& worst) {
  return worst.index.empty() ? "" : fmt::format(" at [{}]", fmt::join(worst.index, ", "));
}

}  // namespace

Judgement compare_elements(const std::string& path, const at::Tensor& got, const at::Tensor& expected,
                           at::ScalarType dtype, const Allowance& allowance) {
  const Tally found = tally_of_kind(got, expected, allowance);
  Judgement out;
  if (found.nonfinite > 0) {
    const Worst bad = worst_at(path, got, expected, dtype, found.first_bad, {});
    out.verdict = Verdict::kNonfinite;
    out.reason = fmt::format(
        "{}: {} of {} elements are not finite where the answer is, or the other way about; the "
        "first{} is {}, right is {}",
        path, found.nonfinite, got.numel(), place(bad), bad.got, bad.expected);
    out.worst = bad;
  } else if (found.worst >= 0) {
    out.worst = worst_at(path, got, expected, dtype, found.worst, found.reading);
    if (found.beyond == 0) return out;
    out.verdict = Verdict::kWrongValue;
    out.reason = fmt::format(
        "{}: {} of {} elements are wrong; the worst{} is {}, right is {} (off by {:.3g}, allowed "
        "is {:.3g})",
        path, found.beyond, got.numel(), place(*out.worst), out.worst->got, out.worst->expected, found.reading.error,
        found.reading.bound);
  }
  return out;
}

bool same_values(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes()) return false;
  const Tally found = tally_of_kind(a, b, {});
  return found.nonfinite == 0 && found.beyond == 0;
}

double strain(const Judgement& judgement) {
  if (!judgement.worst) return 0;
  const Worst& worst = *judgement.worst;
  if (judgement.verdict != Verdict::kPassed) return kInfinity;
  return worst.bound > 0 ? worst.error / worst.bound : 0;
}

}  // namespace kbx
