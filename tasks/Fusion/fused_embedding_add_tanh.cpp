// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_fused_embedding_add_tanh {
namespace {

// Shrinks the rows that are looked up and are too long, in place, as the operation does.
void renormalise(const Args& in) {
  if (!in.has("max_norm")) return;
  at::Tensor weight = in.tensor("weight");
  at::embedding_renorm_(weight, in.tensor("input_indices"), in.number("max_norm"), in.number("norm_type"));
}

at::Tensor rows(const Args& in) {
  const at::Tensor indices = in.tensor("input_indices"), weight = in.tensor("weight");
  std::vector<int64_t> shape = indices.sizes().vec();
  shape.push_back(weight.size(1));
  return weight.index_select(0, indices.reshape({-1})).reshape(shape);
}

// tanh passes on at most the error of the sum: the sum's own, and of a shrunk row that of its norm, a sum of D powers.
// Of the result, then of the changed weight.
Results embedding_slack(const Args& in) {
  Args exact =
      in.map_tensors([](const at::Tensor& t) { return t.is_floating_point() ? t.to(at::kDouble, false, true) : t; });
  renormalise(exact);
  const double dims = static_cast<double>(exact.tensor("weight").size(1));
  const double of_rows = in.has("max_norm") ? 6 + std::sqrt(dims) / 2 : 1;
  return {rows(exact).abs() * of_rows + exact.tensor("other").abs(), exact.tensor("weight").abs() * of_rows};
}

Case problem(const std::string& label, Recipe indices, Recipe weight, Recipe other, ArgRecipes more = {}) {
  ArgRecipes args = {{"input_indices", std::move(indices)}, {"weight", std::move(weight)}, {"other", std::move(other)}};
  for (auto& item : more) args.push_back(std::move(item));
  return {label, std::move(args)};
}

Cases embedding_cases() {
  const auto f = at::kFloat;
  const Recipe few = values({1, 2, 3}, at::kLong), table = randn({5, 3}, f), other = randn({3, 3}, f);
  const Recipe many = randint({4, 16}, 0, 128);
  return {
      problem("defaults", few, table, other),
      problem("padding_idx", values({0, 1, 2}, at::kLong), table, other, {{"padding_idx", 0}}),
      problem("max_norm", few, table, other, {{"max_norm", 1.0}}),
      problem("norm_type alone", few, table, other, {{"norm_type", 1.0}}),
      problem("max_norm, sum of magnitudes", randint({20}, 0, 12), randn({12, 9}, f), randn({20, 9}, f),
              {{"max_norm", 6.0}, {"norm_type", 1.0}}),
      // An even power: of odd ones but the first, torch 2.11 on a GPU adds w^p instead of |w|^p.
      problem("max_norm, fourth powers", randint({20}, 0, 12), randn({12, 9}, f), randn({20, 9}, f),
              {{"max_norm", 1.5}, {"norm_type", 4}, {"padding_idx", -1}}),
      problem("max_norm, same row often", values({7, 7, 7, 0, 7}, at::kLong), randn({9, 33}, f), randn({5, 33}, f),
              {{"max_norm", 2.0}}),
      problem("sentences", many, randn({128, 64}, f), randn({4, 16, 64}, f), {{"padding_idx", 0}}),
      problem("outliers", many, outliers({128, 64}, f, 0.01, 10), outliers({4, 16, 64}, f, 0.01, 10)),
      problem("ragged", randint({37}, 0, 19), randn({19, 53}, f), randn({37, 53}, f)),
      problem("other for all", randint({6, 7}, 0, 19), randn({19, 20}, f), randn({20}, f)),
      problem("one index", values({3}, {}, at::kLong), randn({5, 9}, f), randn({9}, f)),
      problem("one element", values({0}, at::kLong), randn({1, 1}, f), randn({1, 1}, f)),
      problem("no index", empty({0}, at::kLong), randn({5, 9}, f), empty({0, 9}, f)),
      problem("saturated", few, randn({5, 3}, f, 30), other),
      problem("gradient options", few, table, other, {{"scale_grad_by_freq", true}, {"sparse", true}}),
      problem("transposed", transposed(randint({5, 6}, 0, 11)), transposed(randn({8, 11}, f)), randn({6, 5, 8}, f)),
      problem("out", few, table, other, {{"out", empty({3, 3}, f)}}),
  };
}

// B x L indices of D numbers: 2^(i/3), 2^((i+1)/3), 2^((i+2)/3), one doubling a step.
Sizes embedding_sizes() {
  Sizes out;
  for (int i = 8; i <= 27; ++i) {
    const int64_t b = 1 << (i / 3), l = 1 << ((i + 1) / 3), d = 1 << ((i + 2) / 3);
    out.push_back(
        {std::to_string(b) + "x" + std::to_string(l) + "x" + std::to_string(d),
         problem("", randint({b, l}, 0, 1024), randn({1024, d}, at::kFloat), randn({b, l, d}, at::kFloat)).args});
  }
  return out;
}

KBX_TASK(Fusion, fused_embedding_add_tanh) {
  return {
      .signature =
          "fused_embedding_add_tanh(input_indices, weight, other, *, padding_idx=None, max_norm=None, "
          "norm_type=2.0, scale_grad_by_freq=False, sparse=False, out=None)",
      .description = R"(tanh(weight[input_indices] + other), element by element.
input_indices is int64 of any shape S with elements in [0, V); weight is float32 [V, D]; other is float32 and broadcasts
to S + [D], the shape of the float32 result.
max_norm: before anything is looked up, every row of weight that occurs in input_indices and whose norm exceeds max_norm
is multiplied, in place and once, by max_norm / (norm + 1e-7), where norm = (sum of |w|^norm_type)^(1 / norm_type). Other
rows stay as they are. Without max_norm weight does not change and norm_type has no effect.
padding_idx (which may be negative), scale_grad_by_freq and sparse concern gradients and have no effect.
Without out a new tensor is returned; else the result is written to out, which is returned. Compute in float32; results
may be off by 6 spacings of float32 plus an absolute 1e-6, and tanh.approx, good to 11 bits, is not enough. Tensors may
be strided views.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def fused_embedding_add_tanh(input_indices, weight, other, *, padding_idx=None, max_norm=None, norm_type=2.0,
                             scale_grad_by_freq=False, sparse=False, out=None):
    rows = F.embedding(input_indices, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
    return torch.tanh(rows + other, out=out)
)",
      .reference = [](const Args& in) -> Results {
        renormalise(in);
        return deliver(in, "out", at::tanh(rows(in) + in.tensor("other")));
      },
      .cases = embedding_cases(),
      .sizes = embedding_sizes(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor indices = in.tensor("input_indices"), weight = in.tensor("weight"), other = in.tensor("other");
        const double unique = static_cast<double>(std::get<0>(at::_unique(indices.cpu())).numel());
        const double outputs = static_cast<double>(indices.numel() * weight.size(1));
        return {.bytes_read = bytes_of(indices) + bytes_of(other) + unique * static_cast<double>(weight.size(1)) * 4,
                .bytes_written = outputs * 4,
                .flops = 2 * outputs};
      },
      .contract = {Relative{.ulps = 6, .scale = 1, .magnitude = embedding_slack, .floor = 1e-6},
                   "tanh by exponentials cancels near zero and keeps an absolute error of about 8 spacings at one; the "
                   "sum and the norm of a shrunk row add theirs; tanh.approx (2^-11) and half types are far beyond"},
      .mutates = {"weight", "out"},
  };
}

}  // namespace
}  // namespace kbx::task_fused_embedding_add_tanh
