// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/recipe.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "kbx/base/error.h"
#include "kbx/base/sha256.h"
#include "kbx/task/rounding.h"

namespace kbx {
namespace {

__extension__ using Wide = unsigned __int128;

uint64_t key_of(std::string_view seed, std::string_view path) {
  const Sha256 digest = sha256(to_hex(sha256(seed)) + "/" + std::string(path));
  uint64_t key = 0;
  for (size_t i = 0; i < 8; ++i) key |= static_cast<uint64_t>(digest[i]) << (8 * i);
  return key;
}

double to_unit(uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

// f(i) for every element, in double or int64 or bool, converted to dtype by chunks: a large tensor needs no second
// copy.
template <typename T, typename F>
at::Tensor filled(const Shape& shape, at::ScalarType dtype, const F& f) {
  constexpr int64_t kChunk = 1 << 15;
  at::Tensor out = at::empty(shape, dtype);
  const at::Tensor flat = out.view({-1});
  at::parallel_for(0, (out.numel() + kChunk - 1) / kChunk, 1, [&](int64_t first, int64_t last) {
    std::vector<T> drawn(kChunk);
    for (int64_t chunk = first; chunk < last; ++chunk) {
      const int64_t from = chunk * kChunk, count = std::min(kChunk, out.numel() - from);
      for (int64_t i = 0; i < count; ++i) drawn[static_cast<size_t>(i)] = f(static_cast<uint64_t>(from + i));
      flat.narrow(0, from, count).copy_(at::from_blob(drawn.data(), {count}, c10::CppTypeToScalarType<T>::value));
    }
  });
  return out;
}

// f(i) gives a real number; a complex tensor takes two for an element.
template <typename F>
at::Tensor filled_real(Shape shape, at::ScalarType dtype, const F& f) {
  if (!c10::isComplexType(dtype)) return filled<double>(shape, dtype, f);
  shape.push_back(2);
  return at::view_as_complex(filled<double>(shape, c10::toRealValueType(dtype), f));
}

// A recipe that depends on no other one. make(draw) gives a tensor of this shape and dtype.
Recipe leaf(Shape shape, at::ScalarType dtype, std::string text, std::function<at::Tensor(Draw&)> make) {
  return {[=, make = std::move(make)](Draw& draw) -> Value {
            return draw.is_outline() ? at::empty(shape, at::TensorOptions(dtype).device(at::kMeta)) : make(draw);
          },
          std::move(text)};
}

std::string shaped(const Shape& shape, at::ScalarType dtype) {
  return fmt::format("{}[{}]", dtype_name(dtype), fmt::join(shape, ", "));
}

std::string listed(const std::vector<double>& numbers) {
  constexpr size_t kShown = 16;
  const bool all = numbers.size() <= kShown;
  const auto end = all ? numbers.end() : numbers.begin() + kShown;
  return fmt::format("[{}{}]", fmt::join(numbers.begin(), end, ", "), all ? "" : ", ...");
}

// Matrices are prepared in double, so that the order of torch's sums does not show in the rounded result.
Recipe in_double(Recipe inner, std::function<at::Tensor(const at::Tensor&)> f, const std::string& what) {
  return apply(
      std::move(inner),
      [f](const at::Tensor& x) {
        const bool complex = x.is_complex();
        return f(x.to(complex ? at::kComplexDouble : at::kDouble)).to(x.scalar_type());
      },
      what);
}

std::vector<int64_t> shuffled(Draw& draw, int64_t count, int64_t n) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = 0; i < count; ++i)
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(draw.integer(i, n))]);
  order.resize(static_cast<size_t>(count));
  return order;
}

}  // namespace

std::array<uint64_t, 2> Stream::block(uint64_t index) const {
  const auto low = [](uint64_t x) { return static_cast<uint32_t>(x); };
  const auto high = [](uint64_t x) { return static_cast<uint32_t>(x >> 32); };
  uint32_t c0 = low(index), c1 = high(index), c2 = low(number_), c3 = high(number_);
  uint32_t k0 = low(key_), k1 = high(key_);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * c0, b = uint64_t{0xCD9E8D57} * c2;
    const uint32_t next0 = high(b) ^ c1 ^ k0, next2 = high(a) ^ c3 ^ k1;
    c0 = next0, c1 = low(b), c2 = next2, c3 = low(a);
    k0 += 0x9E3779B9, k1 += 0xBB67AE85;
  }
  return {c0 | uint64_t{c1} << 32, c2 | uint64_t{c3} << 32};
}

double Stream::uniform(uint64_t index) const {
  return to_unit(bits(index));
}

// Box and Muller; 1 - u lies in (0, 1], so the logarithm is finite.
double Stream::normal(uint64_t index) const {
  const auto [radius, angle] = block(index);
  return std::sqrt(-2 * std::log(1 - to_unit(radius))) * std::cos(2 * std::numbers::pi * to_unit(angle));
}

// The high half of a product: off from equal shares by at most (high - low) / 2^64.
int64_t Stream::integer(uint64_t index, int64_t low, int64_t high) const {
  const Wide range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  return static_cast<int64_t>(static_cast<uint64_t>(low) + static_cast<uint64_t>(range * bits(index) >> 64));
}

Draw::Draw(std::string_view seed, std::string_view path) : key_(key_of(seed, path)), sequence_(key_, 0) {}

Draw Draw::outline() {
  Draw draw("", "");
  draw.outline_ = true;
  return draw;
}

Recipe randn(Shape shape, at::ScalarType dtype, double scale, double shift) {
  std::string text = shaped(shape, dtype) + " N(0,1)";
  if (scale != 1) text += fmt::format("*{}", scale);
  if (shift != 0) text += fmt::format("{:+}", shift);
  return leaf(shape, dtype, text, [=](Draw& draw) {
    const Stream s = draw.fork();
    return filled_real(shape, dtype, [&](uint64_t i) { return s.normal(i) * scale + shift; });
  });
}

Recipe uniform(Shape shape, at::ScalarType dtype, double low, double high) {
  return leaf(shape, dtype, fmt::format("{} U[{},{})", shaped(shape, dtype), low, high), [=](Draw& draw) {
    const Stream s = draw.fork();
    return filled_real(shape, dtype, [&](uint64_t i) { return low + (high - low) * s.uniform(i); });
  });
}

Recipe randint(Shape shape, int64_t low, int64_t high, at::ScalarType dtype) {
  return leaf(shape, dtype, fmt::format("{} integers [{},{})", shaped(shape, dtype), low, high), [=](Draw& draw) {
    const Stream s = draw.fork();
    return filled<int64_t>(shape, dtype, [&](uint64_t i) { return s.integer(i, low, high); });
  });
}

Recipe coin(Shape shape, double probability) {
  return leaf(shape, at::kBool, fmt::format("{} p={}", shaped(shape, at::kBool), probability), [=](Draw& draw) {
    const Stream s = draw.fork();
    return filled<double>(shape, at::kBool, [&](uint64_t i) { return s.uniform(i) < probability ? 1.0 : 0.0; });
  });
}

Recipe outliers(Shape shape, at::ScalarType dtype, double probability, double factor) {
  const std::string text = fmt::format("{} N(0,1)+outliers(p={},x{})", shaped(shape, dtype), probability, factor);
  return leaf(shape, dtype, text, [=](Draw& draw) {
    const Stream s = draw.fork(), chosen = draw.fork();
    return filled_real(shape, dtype,
                       [&](uint64_t i) { return s.normal(i) * (chosen.uniform(i) < probability ? factor : 1.0); });
  });
}

Recipe permutation(int64_t n) {
  return leaf({n}, at::kLong, fmt::format("int64[{}] permutation", n),
              [=](Draw& draw) { return at::tensor(shuffled(draw, n, n), at::kLong); });
}

Recipe distinct(int64_t count, int64_t n) {
  if (count > n)
    throw Error(ErrorKind::kEnvironment, fmt::format("there are no {} different integers below {}", count, n));
  return leaf({count}, at::kLong, fmt::format("int64[{}] different integers [0,{})", count, n),
              [=](Draw& draw) { return at::tensor(shuffled(draw, count, n), at::kLong); });
}

Recipe values(std::vector<double> values, at::ScalarType dtype) {
  const Shape shape = {static_cast<int64_t>(values.size())};
  return kbx::values(std::move(values), shape, dtype);
}

Recipe values(std::vector<double> values, Shape shape, at::ScalarType dtype) {
  return leaf(shape, dtype, fmt::format("{} {}", shaped(shape, dtype), listed(values)),
              [=](Draw&) { return at::tensor(values, at::kDouble).to(dtype).reshape(shape); });
}

Recipe full(Shape shape, double value, at::ScalarType dtype) {
  return leaf(shape, dtype, fmt::format("{} all {}", shaped(shape, dtype), value),
              [=](Draw&) { return at::full(shape, value, at::kDouble).to(dtype); });
}

Recipe eye(int64_t n, at::ScalarType dtype) {
  return leaf({n, n}, dtype, shaped({n, n}, dtype) + " identity", [=](Draw&) { return at::eye(n, dtype); });
}

Recipe empty(Shape shape, at::ScalarType dtype) {
  return leaf(shape, dtype, shaped(shape, dtype) + " empty", [=](Draw&) { return at::zeros(shape, dtype); });
}

Recipe specials(int64_t n, at::ScalarType dtype) {
  const double most = largest(dtype), normal = smallest_normal(dtype), denormal = normal * spacing(dtype);
  const std::vector<double> fixed = {-0.0, 0,     denormal, -denormal, normal,      -normal,
                                     most, -most, INFINITY, -INFINITY, std::nan("")};
  return leaf({n}, dtype, shaped({n}, dtype) + " special values, N(0,1)", [=](Draw& draw) {
    const Stream s = draw.fork();
    return filled_real({n}, dtype, [&](uint64_t i) { return i < fixed.size() ? fixed[i] : s.normal(i); });
  });
}

Recipe transposed(Recipe inner, int64_t dim0, int64_t dim1) {
  const std::string what = dim0 == -2 && dim1 == -1 ? "transposed" : fmt::format("transposed({},{})", dim0, dim1);
  return apply(
      std::move(inner), [=](const at::Tensor& x) { return x.transpose(dim0, dim1); }, what);
}

Recipe strided(Recipe inner, int64_t dim, int64_t step) {
  return apply(
      std::move(inner), [=](const at::Tensor& x) { return x.slice(dim, {}, {}, step); },
      fmt::format("every {} along {}", step, dim));
}

Recipe symmetric(Recipe inner) {
  return in_double(
      std::move(inner), [](const at::Tensor& a) { return (a + a.mH()) / 2; }, "symmetric");
}

Recipe positive_definite(Recipe inner, double shift) {
  return in_double(
      std::move(inner),
      [=](const at::Tensor& a) {
        return at::matmul(a, a.mH()) / a.size(-1) + at::eye(a.size(-2), a.options()) * shift;
      },
      fmt::format("positive definite (A A^T / n + {} I)", shift));
}

Recipe lower_triangular(Recipe inner, double diagonal_shift) {
  return in_double(
      std::move(inner),
      [=](const at::Tensor& a) {
        at::Tensor lower = at::tril(a);
        at::Tensor diagonal = lower.diagonal(0, -2, -1);
        diagonal.copy_(diagonal.abs() + diagonal_shift);
        return lower;
      },
      fmt::format("lower triangular (|diagonal|+{})", diagonal_shift));
}

Recipe softmaxed(Recipe inner, int64_t dim) {
  return in_double(
      std::move(inner), [=](const at::Tensor& x) { return at::softmax(x, dim); }, fmt::format("softmax along {}", dim));
}

Recipe apply(Recipe inner, std::function<at::Tensor(const at::Tensor&)> f, const std::string& what) {
  std::string text = fmt::format("{}, {}", inner.text, what);
  return {[inner = std::move(inner), f = std::move(f)](Draw& draw) -> Value {
            const Value value = inner.make(draw);
            const auto* tensor = value.as<at::Tensor>();
            if (tensor == nullptr) throw Error(ErrorKind::kEnvironment, inner.text + " is no tensor");
            try {
              return f(*tensor);
            } catch (const c10::Error&) {
              // Some operations lack a form for meta tensors; a recipe's changes keep the shape.
              if (draw.is_outline()) return *tensor;
              throw;
            }
          },
          std::move(text)};
}

Recipe list_of(std::vector<Recipe> items) {
  std::string text;
  for (const Recipe& item : items) text += (text.empty() ? "[" : "; ") + item.text;
  return {[items = std::move(items)](Draw& draw) -> Value {
            List list;
            for (const Recipe& item : items) list.items.push_back(item.make(draw));
            return list;
          },
          text + "]"};
}

}  // namespace kbx
