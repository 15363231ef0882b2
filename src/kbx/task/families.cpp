// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/families.h"

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "kbx/base/error.h"

namespace kbx {
namespace {

Recipe spread(Shape shape, at::ScalarType dtype, const Domain& domain) {
  return uniform(std::move(shape), dtype, domain.low, domain.high);
}

Recipe bell(Shape shape, at::ScalarType dtype, const Domain& domain) {
  return clamped(randn(std::move(shape), dtype), domain.low, domain.high);
}

double count(at::IntArrayRef sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 1.0,
                         [](double product, int64_t side) { return product * static_cast<double>(side); });
}

// The dtype= of the call, where the signature has one.
std::optional<at::ScalarType> dtype_asked(const Args& args) {
  const bool known = args.signature() != nullptr && args.signature()->find("dtype") != nullptr;
  return known ? args.optional_dtype("dtype") : std::nullopt;
}

double slices(const at::Tensor& from, const Args& args) {
  const bool known = args.signature() != nullptr && args.signature()->find("dim") != nullptr;
  const std::vector<int64_t> dims = known ? args.integers("dim") : std::vector<int64_t>();
  if (dims.empty()) return 1;
  std::vector<int64_t> sizes = from.sizes().vec();
  for (const int64_t d : dims)
    if (!sizes.empty()) sizes[static_cast<size_t>(d < 0 ? d + from.dim() : d)] = 1;
  return count(sizes);
}

template <typename F>
Sizes powers(int first, int last, const F& args_of) {
  Sizes out;
  for (int power = first; power <= last; ++power)
    out.push_back({.label = fmt::format("2^{}", power), .args = args_of(int64_t{1} << power)});
  return out;
}

}  // namespace

Cases elementwise_cases(const std::string& name, at::ScalarType dtype, Domain domain) {
  const auto one = [&](std::string label, Recipe recipe) {
    return Case{.label = std::move(label), .args = {{name, std::move(recipe)}}};
  };
  Cases cases = {
      one("one element", spread({1}, dtype, domain)),
      one("no dimensions", spread({}, dtype, domain)),
      one("empty", spread({0, 3}, dtype, domain)),
      one("ragged", spread({4099}, dtype, domain)),
      one("2-d", bell({63, 65}, dtype, domain)),
      one("3-d", spread({7, 1, 129}, dtype, domain)),
      one("transposed", transposed(spread({37, 50}, dtype, domain))),
      one("strided", strided(spread({65, 30}, dtype, domain), 0, 3)),
      drawn_case("drawn shape",
                 [=](Draw& d) -> ArgRecipes {
                   return {{name, spread({d.integer(2, 40), d.integer(2, 70)}, dtype, domain)}};
                 }),
  };
  if (domain.specials) cases.push_back(one("special values", specials(67, dtype)));
  return cases;
}

Cases binary_cases(const std::string& a, const std::string& b, at::ScalarType dtype, Domain of_a, Domain of_b) {
  const auto two = [&](std::string label, Recipe left, Recipe right) {
    return Case{.label = std::move(label), .args = {{a, std::move(left)}, {b, std::move(right)}}};
  };
  return {
      two("one element", spread({1}, dtype, of_a), spread({1}, dtype, of_b)),
      two("empty", spread({0, 3}, dtype, of_a), spread({0, 3}, dtype, of_b)),
      two("equal shapes", spread({4099}, dtype, of_a), spread({4099}, dtype, of_b)),
      two("equal shapes, 2-d", bell({33, 65}, dtype, of_a), bell({33, 65}, dtype, of_b)),
      two("a row for each", spread({33, 65}, dtype, of_a), spread({65}, dtype, of_b)),
      two("a column for each", spread({33, 65}, dtype, of_a), spread({33, 1}, dtype, of_b)),
      two("the first is broadcast", spread({7, 1}, dtype, of_a), spread({5, 7, 9}, dtype, of_b)),
      two("both are broadcast", spread({17, 1}, dtype, of_a), spread({1, 19}, dtype, of_b)),
      two("a tensor without dimensions", spread({11, 13}, dtype, of_a), spread({}, dtype, of_b)),
      two("transposed", transposed(spread({20, 33}, dtype, of_a)), spread({33, 20}, dtype, of_b)),
      two("both strided", strided(spread({64, 10}, dtype, of_a), 0, 2), strided(spread({32, 30}, dtype, of_b), 1, 3)),
      drawn_case("drawn shapes",
                 [=](Draw& d) -> ArgRecipes {
                   const int64_t rows = d.integer(2, 40), columns = d.integer(2, 70);
                   return {{a, spread({rows, columns}, dtype, of_a)}, {b, spread({columns}, dtype, of_b)}};
                 }),
  };
}

Cases out_cases(const std::string& name, const std::string& out, at::ScalarType dtype, Domain domain) {
  return {
      {.label = "into out", .args = {{name, spread({37, 29}, dtype, domain)}, {out, empty({37, 29}, dtype)}}},
      {.label = "into a transposed out",
       .args = {{name, spread({37, 29}, dtype, domain)}, {out, transposed(empty({29, 37}, dtype))}}},
  };
}

Recipe folded(Recipe inner, double shift) {
  return apply(
      std::move(inner), [shift](const at::Tensor& x) { return x.abs() + shift; },
      shift == 0 ? "|x|" : fmt::format("|x|{:+}", shift));
}

Recipe clamped(Recipe inner, double low, double high) {
  return apply(
      std::move(inner), [=](const at::Tensor& x) { return x.clamp(low, high); },
      fmt::format("clamped to [{},{}]", low, high));
}

Sizes power_sizes(const std::string& name, at::ScalarType dtype, int first, int last, Domain domain) {
  return powers(first, last, [&](int64_t n) { return ArgRecipes{{name, spread({n}, dtype, domain)}}; });
}

Sizes binary_power_sizes(const std::string& a, const std::string& b, at::ScalarType dtype, int first, int last,
                         Domain of_a, Domain of_b) {
  return powers(first, last, [&](int64_t n) {
    return ArgRecipes{{a, spread({n}, dtype, of_a)}, {b, spread({n}, dtype, of_b)}};
  });
}

std::function<Cost(const Args&)> streaming_cost(std::vector<std::string> reads, double flops_per_element) {
  return [reads = std::move(reads), flops_per_element](const Args& args) -> Cost {
    Cost cost;
    std::vector<int64_t> shape;
    std::optional<at::ScalarType> dtype;
    for (const std::string& name : reads) {
      const auto* tensor = args.at(name).as<at::Tensor>();
      if (tensor == nullptr) continue;  // None, or a number in a tensor's place
      cost.bytes_read += bytes_of(*tensor);
      shape = at::infer_size(shape, tensor->sizes());
      dtype = dtype ? c10::promoteTypes(*dtype, tensor->scalar_type()) : tensor->scalar_type();
    }
    const double elements = count(shape);
    if (const auto asked = dtype_asked(args)) dtype = asked;
    cost.bytes_written = elements * static_cast<double>(c10::elementSize(dtype.value_or(at::kFloat)));
    cost.flops = elements * flops_per_element;
    return cost;
  };
}

std::function<Cost(const Args&)> reduction_cost(std::string from, double flops_per_element) {
  return [from = std::move(from), flops_per_element](const Args& args) -> Cost {
    const at::Tensor x = args.tensor(from);
    const at::ScalarType dtype = dtype_asked(args).value_or(x.scalar_type());
    return {.bytes_read = bytes_of(x),
            .bytes_written = slices(x, args) * static_cast<double>(c10::elementSize(dtype)),
            .flops = static_cast<double>(x.numel()) * flops_per_element};
  };
}

double bytes_of(const at::Tensor& tensor) {
  return static_cast<double>(tensor.numel()) * static_cast<double>(tensor.element_size());
}

Results deliver(const Args& args, std::string_view out, const at::Tensor& result) {
  if (!args.has(out)) return {result};
  const at::Tensor target = args.tensor(out);
  if (target.sizes() != result.sizes())
    throw Error(ErrorKind::kEnvironment,
                fmt::format("'{}' is {}, but the result is {}", out, to_text(target), to_text(result)));
  target.copy_(result);
  return {target};
}

int64_t terms(const at::Tensor& from, const at::Tensor& to) {
  return to.numel() == 0 ? 0 : from.numel() / to.numel();
}

at::ScalarType widened(at::ScalarType dtype) {
  if (c10::isComplexType(dtype)) return at::kComplexDouble;
  return c10::isFloatingType(dtype) ? at::kDouble : dtype;
}

at::TensorOptions made_options(const Args& args, at::ScalarType fallback) {
  return at::TensorOptions().dtype(dtype_asked(args).value_or(fallback)).device(made_on());
}

at::Device& made_on() {
  thread_local at::Device device(at::kCPU);
  return device;
}

}  // namespace kbx
