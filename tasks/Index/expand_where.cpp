// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_expand_where {
namespace {

Recipe alternating_rows(int64_t rows) {
  return apply(
      full({rows, 1}, 1, at::kBool),
      [](const at::Tensor& x) { return at::arange(x.size(0)).remainder(2).eq(0).unsqueeze(1); }, "every other");
}

Case problem(const std::string& label, Recipe input, Shape sizes, Recipe cond, Recipe other) {
  return {label,
          {{"input", std::move(input)},
           {"target_sizes", ints(sizes)},
           {"cond", std::move(cond)},
           {"other", std::move(other)}}};
}

Cases expand_where_cases() {
  const auto f = at::kFloat;
  return {
      problem("alternating rows", randn({1, 130}, f), {56, 130}, alternating_rows(56), randn({56, 130}, f)),
      problem("zeros elsewhere", randn({1, 128}, f), {32, 128}, coin({32, 1}), full({32, 128}, 0, f)),
      problem("random rows", randn({1, 512}, f), {24, 512}, coin({24, 1}), randn({24, 512}, f)),
      problem("outliers", outliers({1, 512}, f, 0.01, 10), {24, 512}, coin({24, 1}), outliers({24, 512}, f, 0.01, 10)),
      problem("full condition", randn({1, 77}, f), {19, 77}, coin({19, 77}), randn({19, 77}, f)),
      problem("column expanded", randn({19, 1}, f), {19, 77}, coin({77}), randn({19, 77}, f)),
      problem("new dimensions", randn({5}, f), {3, 7, 5}, coin({7, 1}), randn({3, 7, 5}, f)),
      problem("-1 keeps a size", randn({6, 1, 9}, f), {-1, 4, -1}, coin({6, 4, 9}), randn({6, 4, 9}, f)),
      problem("other broadcast", randn({1, 33}, f), {20, 33}, coin({20, 33}), randn({20, 1}, f)),
      problem("one condition", randn({1, 33}, f), {20, 33}, full({1}, 0, at::kBool), randn({20, 33}, f)),
      problem("nothing to expand", randn({11, 13}, f), {11, 13}, coin({11, 13}), randn({11, 13}, f)),
      problem("no dimensions", randn({}, f), {4, 6}, coin({4, 6}), randn({4, 6}, f)),
      problem("empty", randn({1, 6}, f), {0, 6}, coin({0, 1}), empty({0, 6}, f)),
      problem("NaN not taken", full({1, 8}, NAN, f), {5, 8}, coin({5, 1}), randn({5, 8}, f)),
      problem("transposed", transposed(randn({20, 1}, f)), {14, 20}, transposed(coin({20, 14})),
              transposed(randn({20, 14}, f))),
  };
}

KBX_TASK(Index, expand_where) {
  return {
      .signature = "expand_where(input, target_sizes, cond, other)",
      .description = R"(where(cond, input.expand(target_sizes), other): the element of the expanded input where cond is
true, of other where it is false.
input is float32; target_sizes is a tuple of ints with at least as many entries as input has dimensions: sizes are
matched from the end, a dimension of size 1 is repeated, -1 keeps the size, and new dimensions come in front. cond (bool)
and other (float32) broadcast to the expanded shape, which is that of the new float32 tensor returned. Values are copied
bit for bit, and a NaN that is not taken leaves no trace. Tensors may be strided views.)",
      .snippet = R"(import torch


def expand_where(input, target_sizes, cond, other):
    return torch.where(cond, input.expand(target_sizes), other)
)",
      .reference = [](const Args& in) -> Results {
        return {
            at::where(in.tensor("cond"), in.tensor("input").expand(in.integers("target_sizes")), in.tensor("other"))};
      },
      .cases = expand_where_cases(),
      .sizes =
          [] {
            Sizes out;
            for (int i = 10; i <= 14; ++i) {
              const int64_t n = int64_t{1} << i;
              out.push_back(
                  {"256x" + std::to_string(n),
                   problem("", randn({1, n}, at::kFloat), {256, n}, coin({256, 1}), randn({256, n}, at::kFloat)).args});
            }
            return out;
          }(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input"), cond = in.tensor("cond"), other = in.tensor("other");
        const at::Tensor y = at::broadcast_tensors({x.expand(in.integers("target_sizes")), cond, other})[0];
        // Of other only what cond leaves to it has to be read.
        const double left = 1 - cond.to(at::kFloat).mean().item<double>();
        return {.bytes_read = bytes_of(x) + bytes_of(cond) + bytes_of(other) * left, .bytes_written = bytes_of(y)};
      },
      .contract = {Exact{}, "values are copied, so every bit is determined"},
  };
}

}  // namespace
}  // namespace kbx::task_expand_where
