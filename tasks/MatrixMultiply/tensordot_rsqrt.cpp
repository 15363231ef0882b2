// SPDX-License-Identifier: Apache-2.0
#include "matmul.h"

namespace kbx::task_tensordot_rsqrt {
namespace {

struct Contraction {
  std::vector<int64_t> of_a, of_b;
};

std::vector<int64_t> axes(const Value& value) {
  std::vector<int64_t> out;
  for (const Value& item : value.as<List>()->items) out.push_back(*item.as<int64_t>());
  return out;
}

// dims = n: the last n of a with the first n of b. dims = (of a, of b): these, pair by pair.
Contraction contraction(const Args& in) {
  const Value& dims = in.at("dims");
  if (const auto* pair = dims.as<List>()) return {axes(pair->items.at(0)), axes(pair->items.at(1))};
  Contraction out;
  const int64_t count = in.integer("dims"), rank = in.tensor("a").dim();
  for (int64_t i = 0; i < count; ++i) {
    out.of_a.push_back(rank - count + i);
    out.of_b.push_back(i);
  }
  return out;
}

int64_t terms_of(const Args& in) {
  int64_t n = 1;
  for (int64_t axis : contraction(in).of_a) n *= in.tensor("a").size(axis);
  return n;
}

// rsqrt turns an error d of the sum s into d / (2 s^1.5).
Results tensordot_rsqrt_slack(const Args& in) {
  const at::Tensor a = in.tensor("a").to(at::kDouble), b = in.tensor("b").to(at::kDouble);
  const auto [of_a, of_b] = contraction(in);
  const at::Tensor sum = at::tensordot(a, b, of_a, of_b);
  const at::Tensor slack = sum_slack(sum, at::tensordot(a.abs(), b.abs(), of_a, of_b), terms_of(in));
  return {(slack / sum.pow(1.5) * 0.5).nan_to_num(0, 0, 0)};
}

Value pair_of_axes(const std::vector<int64_t>& of_a, const std::vector<int64_t>& of_b) {
  const auto list = [](const std::vector<int64_t>& items) {
    return Value(List{.items = std::vector<Value>(items.begin(), items.end()), .tuple = false});
  };
  return Value(List{.items = {list(of_a), list(of_b)}, .tuple = true});
}

// |N(0,1)| + 0.001: sums are positive.
Recipe positive(Shape shape) {
  return apply(
      randn(std::move(shape), at::kFloat), [](const at::Tensor& x) { return x.abs() + 1e-3; }, "|x| + 0.001");
}

Cases tensordot_rsqrt_cases() {
  const auto f = at::kFloat;
  const Recipe cube = values({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}, f);
  const Recipe next = values({9, 10, 11, 12, 13, 14, 15, 16}, {2, 2, 2}, f);
  return {
      {"vectors", {{"a", values({1, 2, 3}, f)}, {"b", values({4, 5, 6}, f)}, {"dims", 1}}},
      {"matrices",
       {{"a", values({1, 2, 3, 4}, {2, 2}, f)},
        {"b", values({5, 6, 7, 8}, {2, 2}, f)},
        {"dims", pair_of_axes({1}, {0})}}},
      {"cubes", {{"a", cube}, {"b", next}, {"dims", pair_of_axes({2}, {1})}}},
      {"two dimensions of cubes", {{"a", cube}, {"b", next}, {"dims", 2}}},
      {"aligned", {{"a", positive({32, 64})}, {"b", positive({64, 32})}, {"dims", 1}}},
      {"ragged", {{"a", positive({19, 77})}, {"b", positive({77, 23})}, {"dims", 1}}},
      {"two axes, crossed",
       {{"a", positive({4, 8, 16})}, {"b", positive({16, 8, 4})}, {"dims", pair_of_axes({2, 1}, {0, 1})}}},
      {"first and last", {{"a", positive({9, 5, 7})}, {"b", positive({6, 9})}, {"dims", pair_of_axes({0}, {1})}}},
      {"negative axes", {{"a", positive({5, 7})}, {"b", positive({6, 7})}, {"dims", pair_of_axes({-1}, {-1})}}},
      {"outer product", {{"a", positive({5})}, {"b", positive({3, 4})}, {"dims", 0}}},
      {"all axes", {{"a", positive({5, 7})}, {"b", positive({5, 7})}, {"dims", 2}}},
      {"zero and negative sums",
       {{"a", values({1, 2, 3, 4}, {2, 2}, f)}, {"b", values({2, -5, 0, -1, -1, 1}, {2, 3}, f)}, {"dims", 1}}},
      {"outliers",
       {{"a", apply(
                  outliers({32, 64}, f, 0.01, 10), [](const at::Tensor& x) { return x.abs() + 1e-3; }, "|x| + 0.001")},
        {"b", positive({64, 32})},
        {"dims", 1}}},
      {"transposed", {{"a", transposed(positive({20, 15}))}, {"b", transposed(positive({11, 20}))}, {"dims", 1}}},
      {"one element", {{"a", positive({1, 1})}, {"b", positive({1, 1})}, {"dims", 1}}},
      {"no rows", {{"a", empty({0, 4}, f)}, {"b", positive({4, 3})}, {"dims", 1}}},
  };
}

Sizes tensordot_rsqrt_sizes() {
  Sizes out;
  for (int i = 5; i <= 11; ++i) {
    const int64_t n = 1 << i;
    out.push_back(
        {std::to_string(n), {{"a", uniform({n, n}, at::kFloat)}, {"b", uniform({n, n}, at::kFloat)}, {"dims", 1}}});
  }
  return out;
}

KBX_TASK(MatrixMultiply, tensordot_rsqrt) {
  return {
      .signature = "tensordot_rsqrt(a, b, dims)",
      .description = R"(1 / sqrt(s), element by element, of the contraction s of two float32 tensors.
dims is an int n: the last n dimensions of a are summed against the first n of b, in order (n = 0 is the outer product);
or a pair of lists of equal length: dimension dims[0][i] of a is summed against dimension dims[1][i] of b; negative
numbers count from the end. Dimensions summed together have equal sizes. The result is float32; its shape is that of
the remaining dimensions of a followed by those of b, none left gives a tensor without dimensions.
A sum of zero gives infinity, a negative sum NaN. Tensors may be strided views.
Sums are in float32, in any order: TF32 (which tl.dot uses unless told otherwise), bfloat16 and float16 products are
refused.)",
      .snippet = R"(import torch


def tensordot_rsqrt(a, b, dims):
    return torch.rsqrt(torch.tensordot(a, b, dims=dims))
)",
      .reference = [](const Args& in) -> Results {
        const auto [of_a, of_b] = contraction(in);
        return {at::rsqrt(at::tensordot(in.tensor("a"), in.tensor("b"), of_a, of_b))};
      },
      .cases = tensordot_rsqrt_cases(),
      .sizes = tensordot_rsqrt_sizes(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor a = in.tensor("a"), b = in.tensor("b");
        const double k = static_cast<double>(std::max<int64_t>(terms_of(in), 1));
        const double outputs = static_cast<double>(a.numel()) / k * (static_cast<double>(b.numel()) / k);
        return {.bytes_read = bytes_of(a) + bytes_of(b),
                .bytes_written = outputs * static_cast<double>(a.element_size()),
                .flops = 2 * outputs * k + outputs,
                .matrix_flops = 2 * outputs * k};
      },
      .contract = {Relative{.ulps = 4, .scale = 1, .magnitude = tensordot_rsqrt_slack},
                   "half the relative error of a float32 sum of n products in any order (2 sqrt(n) |s| + 8 sum|a b| "
                   "spacings) and four spacings for the fast rsqrt"},
  };
}

}  // namespace
}  // namespace kbx::task_tensordot_rsqrt
