// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_add {
namespace {

// A Python number stands for a tensor without dimensions.
at::Tensor addend(const Args& in) {
  const Value& other = in.at("other");
  return other.as<at::Tensor>() ? in.tensor("other")
                                : at::scalar_tensor(in.number("other"), in.tensor("input").options());
}

at::Scalar alpha(const Args& in) {
  return in.number("alpha");
}

}  // namespace

KBX_TASK(Math, add) {
  return {
      .signature = "add(input, other, alpha=1, out=None)",
      .description = R"(y = input + alpha * other, element by element. input is a float32 tensor; other is a float32
tensor that broadcasts with it (both ways, by the usual rules) or a Python number; alpha is a Python number, int or
float. A fused or a separately rounded product is right. Infinities and NaN follow IEEE arithmetic. Compute in float32.
out: a float32 tensor of the broadcast shape, possibly not contiguous, that receives the result and is returned. Without
it a new float32 tensor of the broadcast shape is returned. The inputs may be strided views.)",
      .snippet = R"(import torch


def add(input, other, alpha=1, out=None):
    return torch.add(input, other, alpha=alpha, out=out)
)",
      .reference =
          [](const Args& in) { return deliver(in, "out", at::add(in.tensor("input"), addend(in), alpha(in))); },
      .cases =
          binary_cases("input", "other", at::kFloat) +
          Cases{
              {"integers", {{"input", values({1, 2, 3}, at::kFloat)}, {"other", values({4, 5, 6}, at::kFloat)}}},
              {"a number", {{"input", values({1, 2, 3}, at::kFloat)}, {"other", 2.0}}},
              {"alpha",
               {{"input", values({1, 2, 3}, at::kFloat)}, {"other", values({4, 5, 6}, at::kFloat)}, {"alpha", 0.5}}},
              {"a number, alpha", {{"input", values({1, 2, 3}, at::kFloat)}, {"other", 2.0}, {"alpha", 0.5}}},
              {"an integer, integer alpha", {{"input", randn({7, 11}, at::kFloat)}, {"other", 3}, {"alpha", -2}}},
              {"normal", {{"input", randn({64, 64}, at::kFloat)}, {"other", randn({64, 64}, at::kFloat)}}},
              {"outliers",
               {{"input", outliers({61, 67}, at::kFloat, 0.01, 10)},
                {"other", outliers({61, 67}, at::kFloat, 0.01, 10)},
                {"alpha", -1.7}}},
              {"broadcast, alpha",
               {{"input", randn({5, 1, 9}, at::kFloat)}, {"other", randn({7, 1}, at::kFloat)}, {"alpha", 3}}},
              {"specials",
               {{"input", values({INFINITY, INFINITY, -INFINITY, NAN, 1, -0.0, 1e30}, at::kFloat)},
                {"other", values({1, -INFINITY, -2, 0, NAN, -0.0, 2e30}, at::kFloat)}}},
              {"into out",
               {{"input", randn({37, 29}, at::kFloat)},
                {"other", randn({29}, at::kFloat)},
                {"alpha", 0.3},
                {"out", empty({37, 29}, at::kFloat)}}},
          },
      .sizes = binary_power_sizes("input", "other", at::kFloat),
      .cost = streaming_cost({"input", "other"}, 2),
      .contract = {Relative{.scale = 1.5,
                            .magnitude = [](const Args& in) -> Results {
                              const at::Tensor terms = in.tensor("input").abs() + (addend(in) * alpha(in)).abs();
                              return {terms.nan_to_num(0, 0, 0)};
                            },
                            .floor = kSmallestNormal},
                   "alpha, the product and the sum are rounded once each: a spacing and a half of the larger term"},
      .mutates = {"out"},
  };
}

}  // namespace kbx::task_add
