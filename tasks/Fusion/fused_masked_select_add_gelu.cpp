// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_fused_masked_select_add_gelu {
namespace {

at::Tensor addend(const Args& in) {
  const at::Tensor x = in.tensor("input");
  return in.at("other").as<at::Tensor>() ? in.tensor("other") : at::scalar_tensor(in.number("other"), x.options());
}

at::Tensor selected(const Args& in) {
  return at::masked_select(in.tensor("input"), in.tensor("mask"));
}

at::Tensor sum_of(const Args& in) {
  return at::add(selected(in), addend(in), in.number("alpha"));
}

// |gelu'| is below 1.13; the bracket 1 + erf or 1 + tanh keeps an absolute error of up to eight spacings, halved.
Results gelu_slack(const Args& in) {
  const at::Tensor terms = selected(in).abs() + addend(in).abs() * std::abs(in.number("alpha"));
  return {sum_of(in).abs() * 4 + terms * 2};
}

Case problem(const std::string& label, Recipe input, Recipe mask, Recipe other, ArgRecipes more = {}) {
  ArgRecipes args = {{"input", std::move(input)}, {"mask", std::move(mask)}, {"other", std::move(other)}};
  for (auto& item : more) args.push_back(std::move(item));
  return {label, std::move(args)};
}

Cases masked_select_add_gelu_cases() {
  const auto f = at::kFloat, b = at::kBool;
  const Recipe four = values({1, -2, 3, -0.5}, f), long_mask = coin({4096});
  return {
      problem("two of four", four, values({1, 0, 1, 0}, b), 1.0),
      problem("alpha", four, values({1, 1, 0, 0}, b), 2.0, {{"alpha", 0.5}}),
      problem("tanh", four, values({0, 1, 1, 0}, b), 1.0, {{"approximate", "tanh"}}),
      problem("out", four, values({1, 0, 1, 1}, b), 1.0, {{"out", empty({3}, f)}}),
      problem("normal", randn({4096}, f), long_mask, 0.1),
      problem("normal, tanh", randn({4096}, f), long_mask, 0.1, {{"alpha", 0.5}, {"approximate", "tanh"}}),
      problem("outliers", outliers({4096}, f, 0.01, 10), long_mask, 0.1, {{"alpha", 0.5}}),
      problem("outliers, tanh", outliers({4096}, f, 0.01, 10), long_mask, 0.1,
              {{"alpha", -3}, {"approximate", "tanh"}}),
      problem("ragged matrix", randn({37, 53}, f), coin({37, 53}, 0.3), -0.7, {{"alpha", 2}}),
      problem("mask for all rows", randn({9, 5}, f), values({1, 0, 0, 1, 1}, b), 0.25),
      problem("a tensor for all", randn({300}, f), coin({300}), randn({}, f), {{"alpha", 1.5}}),
      problem("one addend each", randn({6}, f), values({1, 0, 1, 1, 0, 1}, b), randn({4}, f),
              {{"approximate", "tanh"}}),
      problem("none selected", randn({7, 9}, f), full({7, 9}, 0, b), 1.0),
      problem("all selected", randn({7, 9}, f, 3), full({7, 9}, 1, b), 0.0),
      problem("one element", randn({1}, f), full({1}, 1, b), -1),
      problem("empty", empty({0}, f), empty({0}, b), 1.0),
      problem("transposed", transposed(randn({20, 13}, f)), coin({13, 20}), 0.5),
  };
}

KBX_TASK(Fusion, fused_masked_select_add_gelu) {
  return {
      .signature = "fused_masked_select_add_gelu(input, mask, other, *, alpha=1, approximate='none', out=None)",
      .description = R"(gelu(s + alpha * other), where s holds the elements of input at which mask is true.
input is float32, mask is bool; both broadcast to their common shape; s is a vector in the order of the elements (the
last dimension runs fastest), of as many elements as mask has true ones, possibly none. other is a Python number or a
float32 tensor that broadcasts to s (without dimensions, or one element each); alpha is a Python number.
approximate='none': gelu(z) = z/2 (1 + erf(z / sqrt(2))). approximate='tanh': z/2 (1 + tanh(sqrt(2/pi) (z + 0.044715
z^3))). The two differ by up to 5e-4 and each is asked for by itself.
Without out a new float32 vector is returned; else the result is written to out, of the exact length, which is returned.
Compute in float32. Tensors may be strided views.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def fused_masked_select_add_gelu(input, mask, other, *, alpha=1, approximate='none', out=None):
    result = F.gelu(torch.add(torch.masked_select(input, mask), other, alpha=alpha), approximate=approximate)
    return result if out is None else out.copy_(result)
)",
      .reference = [](const Args& in) { return deliver(in, "out", at::gelu(sum_of(in), in.text("approximate"))); },
      .cases = masked_select_add_gelu_cases(),
      .sizes =
          [] {
            Sizes out;
            for (int i = 12; i <= 27; ++i) {
              const int64_t n = int64_t{1} << i;
              out.push_back({"2^" + std::to_string(i), problem("", uniform({n}, at::kFloat), coin({n}), 0.5).args});
            }
            return out;
          }(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input"), mask = in.tensor("mask");
        const double chosen = static_cast<double>(mask.sum().item<int64_t>());
        return {.bytes_read = bytes_of(x) + bytes_of(mask), .bytes_written = 4 * chosen, .flops = 9 * chosen};
      },
      .contract =
          {Relative{.ulps = 4, .scale = 1, .magnitude = gelu_slack, .floor = kSmallestNormal},
           "the bracket 1 + erf or 1 + tanh cancels for negative z, so its error is absolute: up to 8 spacings, "
           "halved and multiplied by |z|; the sum is rounded twice; half types are off by 2^-11"},
      .mutates = {"out"},
  };
}

}  // namespace
}  // namespace kbx::task_fused_masked_select_add_gelu
