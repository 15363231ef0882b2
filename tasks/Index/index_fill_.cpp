// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_index_fill_ {
namespace {

Cases index_fill_cases() {
  const auto f = at::kFloat, l = at::kLong;
  const Recipe three = randn({3, 3}, f);
  return {
      {"two rows", {{"dim", 0}, {"x", three}, {"index", values({0, 2}, l)}, {"value", 5}}},
      {"one column", {{"dim", 1}, {"x", three}, {"index", values({1}, l)}, {"value", 3}}},
      {"one element", {{"dim", 0}, {"x", full({1, 1}, 0, f)}, {"index", values({0}, l)}, {"value", 7}}},
      {"zeros", {{"dim", 0}, {"x", full({5, 5}, 0, f)}, {"index", values({1, 3, 4}, l)}, {"value", 9}}},
      {"duplicates", {{"dim", 0}, {"x", randn({64, 128}, f)}, {"index", randint({16}, 0, 64)}, {"value", 3.14}}},
      {"outliers",
       {{"dim", 0}, {"x", outliers({64, 128}, f, 0.01, 20)}, {"index", randint({16}, 0, 64)}, {"value", 3.14}}},
      {"ragged, columns", {{"dim", 1}, {"x", randn({37, 53}, f)}, {"index", distinct(19, 53)}, {"value", -0.1}}},
      {"last of three", {{"dim", -1}, {"x", randn({3, 5, 17}, f)}, {"index", distinct(4, 17)}, {"value", 2.5}}},
      {"middle of three", {{"dim", -2}, {"x", randn({3, 15, 7}, f)}, {"index", distinct(6, 15)}, {"value", 2.5}}},
      {"vector", {{"dim", 0}, {"x", randn({1009}, f)}, {"index", distinct(500, 1009)}, {"value", 0}}},
      {"every row", {{"dim", 0}, {"x", randn({9, 4}, f)}, {"index", permutation(9)}, {"value", 1.5}}},
      {"no index", {{"dim", 0}, {"x", randn({9, 4}, f)}, {"index", empty({0}, l)}, {"value", 1.5}}},
      {"transposed", {{"dim", 0}, {"x", transposed(randn({12, 20}, f))}, {"index", distinct(5, 20)}, {"value", -2}}},
      {"every other column",
       {{"dim", 1}, {"x", strided(randn({10, 30}, f), 1, 2)}, {"index", distinct(5, 15)}, {"value", -2}}},
      {"infinity", {{"dim", 0}, {"x", randn({9, 4}, f)}, {"index", values({8, 0}, l)}, {"value", INFINITY}}},
  };
}

KBX_TASK(Index, index_fill_) {
  return {
      .signature = "index_fill_(dim, x, index, value)",
      .description = R"(Sets, in place, x to value wherever the coordinate along dim occurs in index, and returns x.
Note the order of arguments: dim comes first. x is float32 with at least one dimension; dim is an int and may be
negative (counted from the end); index is an int64 vector with elements in [0, x.shape[dim]), which may repeat, in any
order, or be absent; value is a Python number, rounded to float32. All other elements keep their bits.
x may be a strided view, and is changed through it.)",
      .snippet = R"(import torch


def index_fill_(dim, x, index, value):
    return x.index_fill_(dim, index, value)
)",
      .reference = [](const Args& in) -> Results {
        at::Tensor x = in.tensor("x");
        x.index_fill_(in.integer("dim"), in.tensor("index"), in.number("value"));
        return {x};
      },
      .cases = index_fill_cases(),
      .sizes =
          [] {
            Sizes out;
            for (int i = 12; i <= 23; ++i) {
              const int64_t n = int64_t{1} << i;
              out.push_back(
                  {"2^" + std::to_string(i),
                   {{"dim", 0}, {"x", randn({n}, at::kFloat)}, {"index", randint({n / 2}, 0, n)}, {"value", 1.0}}});
            }
            return out;
          }(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("x"), index = in.tensor("index");
        const at::Tensor unique = std::get<0>(at::_unique(index.cpu()));
        const int64_t side = std::max<int64_t>(x.size(in.integer("dim")), 1);
        return {.bytes_read = bytes_of(index),
                .bytes_written = bytes_of(x) / static_cast<double>(side) * static_cast<double>(unique.numel())};
      },
      .contract = {Exact{}, "values are set or kept, so every bit is determined"},
      .mutates = {"x"},
  };
}

}  // namespace
}  // namespace kbx::task_index_fill_
