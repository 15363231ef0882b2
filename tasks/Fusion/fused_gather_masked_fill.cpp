// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_fused_gather_masked_fill {
namespace {

Case problem(const std::string& label, Recipe input, int64_t dim, Recipe index, Recipe mask, double value,
             ArgRecipes more = {}) {
  ArgRecipes args = {{"input", std::move(input)},
                     {"dim", dim},
                     {"index", std::move(index)},
                     {"mask", std::move(mask)},
                     {"value", value}};
  for (auto& item : more) args.push_back(std::move(item));
  return {label, std::move(args)};
}

Cases gather_masked_fill_cases() {
  const auto f = at::kFloat, l = at::kLong, b = at::kBool;
  return {
      problem("integers", values({1, 2, 3, 4}, {2, 2}, l), 1, values({0, 1, 1, 0}, {2, 2}, l),
              values({1, 0, 0, 1}, {2, 2}, b), -1.0),
      problem("integers, fewer columns", values({5, 6, 7, 8, 9, 10}, {2, 3}, l), 1, values({0, 2, 1, 0}, {2, 2}, l),
              values({0, 1, 1, 0}, {2, 2}, b), 0.0),
      problem("integers, sparse_grad", values({11, 12, 13, 14}, {2, 2}, l), 1, values({1, 0, 0, 1}, {2, 2}, l),
              values({1, 1, 0, 0}, {2, 2}, b), 99.0, {{"sparse_grad", true}}),
      problem("large integers", randint({9, 17}, -(int64_t{1} << 52), int64_t{1} << 52), 0, randint({5, 17}, 0, 9),
              coin({5, 17}), -5.0),
      problem("columns", randn({64, 128}, f), 1, randint({64, 32}, 0, 128), coin({64, 32}), -1.0,
              {{"sparse_grad", false}}),
      problem("rows", randn({64, 50}, f), 0, randint({33, 50}, 0, 64), coin({33, 50}), 0.5),
      problem("outliers", outliers({64, 128}, f, 0.01, 10), 1, randint({64, 32}, 0, 128), coin({64, 32}), -1.0,
              {{"sparse_grad", true}}),
      problem("index smaller elsewhere", randn({11, 7, 13}, f), 2, randint({9, 5, 21}, 0, 13), coin({9, 5, 21}), 0.1),
      problem("negative dim", randn({5, 6, 7}, f), -2, randint({5, 4, 7}, 0, 6), coin({5, 4, 7}), 3.25),
      problem("mask for all rows", randn({20, 33}, f), 0, randint({17, 33}, 0, 20), coin({33}), -7),
      problem("mask for all columns", randn({20, 33}, f), 1, randint({20, 19}, 0, 33), coin({20, 1}), -7),
      problem("minus infinity", randn({9, 33}, f), 1, randint({9, 33}, 0, 33), coin({9, 33}), -INFINITY),
      problem("vector", randn({1009}, f), 0, randint({500}, 0, 1009), coin({500}), 2.5),
      problem("one element", randn({1, 1}, f), 0, values({0}, {1, 1}, l), full({1, 1}, 0, b), 2.5),
      problem("no index", randn({4, 5}, f), 1, empty({4, 0}, l), coin({4, 0}), 2.5),
      problem("transposed", transposed(randn({20, 12}, f)), 1, transposed(randint({15, 12}, 0, 20)),
              transposed(coin({15, 12})), -1.5),
      problem("out", randn({10, 12}, f), 1, randint({10, 7}, 0, 12), coin({10, 7}), -1.5, {{"out", empty({10, 7}, f)}}),
  };
}

Sizes gather_masked_fill_sizes() {
  Sizes out;
  for (int i = 5; i <= 12; ++i) {
    const int64_t n = 1 << i;
    out.push_back({std::to_string(n) + "x1024",
                   problem("", randn({n, 1024}, at::kFloat), 0, randint({n, 1024}, 0, n), coin({n, 1024}), 0.5).args});
  }
  return out;
}

KBX_TASK(Fusion, fused_gather_masked_fill) {
  return {
      .signature = "fused_gather_masked_fill(input, dim, index, mask, value, *, sparse_grad=False, out=None)",
      .description = R"(Gathers along a dimension, then replaces where a mask is true.
  g[i, j, k] = input[i, index[i, j, k], k]   for dim = 1 of three, likewise for other dims;   y = value where mask else g
input is float32 or int64; index is int64 with as many dimensions, its size at most input's in every dimension but dim
and any size along dim; its elements lie in [0, input.shape[dim]). dim may be negative (counted from the end). mask is
bool and broadcasts to index's shape, which is that of the result; the result has input's dtype. value is a Python
number, converted to that dtype (whole where it is int64). sparse_grad concerns gradients and has no effect.
Without out a new tensor is returned; else the result is written to out, which is returned. Values are copied bit for
bit. Tensors may be strided views.)",
      .snippet = R"(import torch


def fused_gather_masked_fill(input, dim, index, mask, value, *, sparse_grad=False, out=None):
    result = torch.gather(input, dim, index, sparse_grad=sparse_grad).masked_fill(mask, value)
    return result if out is None else out.copy_(result)
)",
      .reference = [](const Args& in) -> Results {
        const at::Tensor gathered = at::gather(in.tensor("input"), in.integer("dim"), in.tensor("index"));
        return deliver(in, "out", gathered.masked_fill(in.tensor("mask"), in.number("value")));
      },
      .cases = gather_masked_fill_cases(),
      .sizes = gather_masked_fill_sizes(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input"), index = in.tensor("index"), mask = in.tensor("mask");
        // A masked element needs neither its index nor a value: half of them here; how much of input that leaves to be
        // read depends on the draw, so it counts in full at most.
        const double kept = mask.numel() == 0 ? 0 : 1 - mask.to(at::kFloat).mean().item<double>();
        const double outputs = static_cast<double>(index.numel());
        return {.bytes_read = std::min(bytes_of(x), kept * outputs * static_cast<double>(x.element_size())) +
                              kept * bytes_of(index) + bytes_of(mask),
                .bytes_written = outputs * static_cast<double>(x.element_size())};
      },
      .contract = {Exact{}, "values are copied or set, so every bit is determined"},
      .mutates = {"out"},
  };
}

}  // namespace
}  // namespace kbx::task_fused_gather_masked_fill
