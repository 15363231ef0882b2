// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_masked_select {
namespace {

Cases masked_select_cases() {
  const auto f = at::kFloat;
  const Recipe no = full({7, 9}, 0, at::kBool), all = full({7, 9}, 1, at::kBool);
  return {
      {"vector",
       {{"input", randn({16}, f)}, {"mask", values({0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 0}, at::kBool)}}},
      {"matrix", {{"input", randn({4, 5}, f)}, {"mask", coin({4, 5})}}},
      {"mask for all", {{"input", randn({2, 3, 4}, f)}, {"mask", values({0, 1, 1}, {1, 3, 1}, at::kBool)}}},
      {"input for all", {{"input", randn({5}, f)}, {"mask", coin({7, 5})}}},
      {"both broadcast", {{"input", randn({6, 1}, f)}, {"mask", coin({1, 11})}}},
      {"random", {{"input", randn({64, 128}, f)}, {"mask", coin({64, 128})}}},
      {"few", {{"input", randn({4099}, f)}, {"mask", coin({4099}, 0.01)}}},
      {"many", {{"input", randn({37, 53}, f)}, {"mask", coin({37, 53}, 0.95)}}},
      {"outliers", {{"input", outliers({64, 128}, f, 0.01, 20)}, {"mask", coin({64, 128})}}},
      {"none", {{"input", randn({7, 9}, f)}, {"mask", no}}},
      {"all", {{"input", randn({7, 9}, f)}, {"mask", all}}},
      {"empty", {{"input", empty({0, 3}, f)}, {"mask", coin({0, 3})}}},
      {"no dimensions", {{"input", randn({}, f)}, {"mask", full({}, 1, at::kBool)}}},
      {"transposed", {{"input", transposed(randn({20, 33}, f))}, {"mask", coin({33, 20})}}},
      {"transposed mask", {{"input", randn({20, 33}, f)}, {"mask", transposed(coin({33, 20}))}}},
      {"special values", {{"input", specials(67, f)}, {"mask", coin({67})}}},
  };
}

KBX_TASK(Index, masked_select) {
  return {
      .signature = "masked_select(input, mask)",
      .description = R"(The elements of input at which mask is true, as a new tensor of one dimension, in the order of
the elements (the last dimension runs fastest). input is float32, mask is bool; both are broadcast to their common shape
first. The length is the number of true elements, and 0 gives an empty tensor. Values are copied bit for bit.
Tensors may be strided views, whose logical order counts.)",
      .snippet = R"(import torch


def masked_select(input, mask):
    return torch.masked_select(input, mask)
)",
      .reference = [](const Args& in) -> Results { return {at::masked_select(in.tensor("input"), in.tensor("mask"))}; },
      .cases = masked_select_cases(),
      .sizes =
          [] {
            Sizes out;  // a random mask: every other element would be a strided copy
            for (int i = 12; i <= 22; ++i) {
              const int64_t n = int64_t{1} << i;
              out.push_back({"2^" + std::to_string(i), {{"input", randn({n}, at::kFloat)}, {"mask", coin({n})}}});
            }
            return out;
          }(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input"), mask = in.tensor("mask");
        const double copies = static_cast<double>(at::broadcast_tensors({x, mask})[0].numel()) /
                              static_cast<double>(std::max<int64_t>(mask.numel(), 1));
        const double taken = static_cast<double>(mask.sum().item<int64_t>()) * copies;
        return {.bytes_read = bytes_of(x) + bytes_of(mask), .bytes_written = taken * 4};
      },
      .contract = {Exact{}, "values are copied, so every bit is determined"},
  };
}

}  // namespace
}  // namespace kbx::task_masked_select
