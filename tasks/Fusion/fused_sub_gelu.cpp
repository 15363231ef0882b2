// SPDX-License-Identifier: Apache-2.0
#include "activation_slack.h"
#include "kbx/task/define.h"

namespace kbx::task_fused_sub_gelu {
namespace {

at::Tensor subtrahend(const Args& in) {
  const at::Tensor x = in.tensor("input");
  return in.at("other").as<at::Tensor>() ? in.tensor("other") : at::scalar_tensor(in.number("other"), x.options());
}

at::Tensor difference(const Args& in) {
  return at::sub(in.tensor("input"), subtrahend(in), in.number("alpha"));
}

// The difference is rounded twice.
Results sub_gelu_slack(const Args& given) {
  const Args in = given.map_tensors([](const at::Tensor& t) { return t.to(at::kDouble); });
  const at::Tensor terms = in.tensor("input").abs() + subtrahend(in).abs() * std::abs(in.number("alpha"));
  return {through_gelu(difference(in), terms * 1.5).nan_to_num(0, 0, 0)};
}

Case problem(const std::string& label, Recipe input, Recipe other, ArgRecipes more = {}) {
  ArgRecipes args = {{"input", std::move(input)}, {"other", std::move(other)}};
  for (auto& item : more) args.push_back(std::move(item));
  return {label, std::move(args)};
}

Cases sub_gelu_cases() {
  const auto f = at::kFloat;
  const Recipe x = values({1, 2, 3}, f), y = values({0.5, 1, 1.5}, f);
  const Recipe tails = values({-100, -12, -5, -0.0, 0, 5, 12, 100}, f), zeros = full({8}, 0, f);
  const ArgRecipes tanh = {{"approximate", "tanh"}};
  return {
      problem("three", x, y),
      problem("three, alpha", x, y, {{"alpha", 0.5}}),
      problem("three, tanh", x, y, tanh),
      problem("three, alpha, tanh", x, y, {{"alpha", 0.5}, {"approximate", "tanh"}}),
      problem("normal", randn({4096}, f), randn({4096}, f), {{"alpha", -0.7}}),
      problem("normal, tanh", randn({4096}, f), randn({4096}, f), {{"alpha", 0.5}, {"approximate", "tanh"}}),
      problem("outliers", outliers({64, 65}, f, 0.01, 10), outliers({64, 65}, f, 0.01, 10)),
      problem("outliers, tanh", outliers({4096}, f, 0.01, 10), outliers({4096}, f, 0.01, 10),
              {{"alpha", 0.5}, {"approximate", "tanh"}}),
      problem("a number", randn({19, 31}, f), 0.3, {{"alpha", 2}}),
      problem("a number, tanh", randn({19, 31}, f), -1, tanh),
      problem("large terms, small difference", randn({300}, f, 1, 50), randn({300}, f, 1, 25), {{"alpha", 2}}),
      problem("tails", tails, zeros),
      problem("tails, tanh", tails, zeros, tanh),
      problem("NaN", values({NAN, 1, 2}, f), values({1, NAN, 3}, f)),
      problem("alpha 0", randn({33}, f), randn({33}, f), {{"alpha", 0}}),
      problem("out", randn({20, 33}, f), randn({33}, f), {{"out", empty({20, 33}, f)}, {"alpha", 1.5}}),
      problem("transposed out, tanh", randn({20, 33}, f), randn({20, 33}, f),
              {{"out", transposed(empty({33, 20}, f))}, {"approximate", "tanh"}}),
  };
}

KBX_TASK(Fusion, fused_sub_gelu) {
  return {
      .signature = "fused_sub_gelu(input, other, alpha=1, approximate='none', out=None)",
      .description =
          R"(gelu(z) of z = input - alpha * other, element by element.
input is a float32 tensor; other a float32 tensor that broadcasts with it (both ways) or a Python number; alpha a Python
number. approximate='none': gelu(z) = z/2 (1 + erf(z / sqrt(2))). approximate='tanh': z/2 (1 + tanh(sqrt(2/pi) (z +
0.044715 z^3))). The two differ by up to 5e-4 and each is asked for by itself. NaN gives NaN, infinities are not asked
for; a large negative z gives zero of either sign, never NaN.
Without out a new float32 tensor of the broadcast shape is returned; else the result is written to out, of that shape
and possibly not contiguous, which is returned. Compute in float32. Tensors may be strided views.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def fused_sub_gelu(input, other, alpha=1, approximate='none', out=None):
    result = F.gelu(torch.sub(input, other, alpha=alpha), approximate=approximate)
    return result if out is None else out.copy_(result)
)",
      .reference = [](const Args& in) { return deliver(in, "out", at::gelu(difference(in), in.text("approximate"))); },
      .cases =
          binary_cases("input", "other", at::kFloat, {.low = -3, .high = 3}, {.low = -2, .high = 2}) + sub_gelu_cases(),
      .sizes = binary_power_sizes("input", "other", at::kFloat, 12, 25, {.low = 0, .high = 1}, {.low = 0, .high = 1}),
      .cost = streaming_cost({"input", "other"}, 10),
      .contract = {Relative{.ulps = 4, .scale = 1, .magnitude = sub_gelu_slack, .floor = kSmallestNormal},
                   "the bracket 1 + erf or 1 + tanh cancels for negative z, so "
                   "its error is absolute: up to 8 spacings, "
                   "halved and multiplied by |z|; the difference is rounded "
                   "twice; half types are off by 2^-11"},
      .mutates = {"out"},
  };
}

}  // namespace
}  // namespace kbx::task_fused_sub_gelu
