// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/define.h"

namespace kbx::task_fused_cos_signbit {
namespace {

constexpr double kFloor = 1e-6;

at::Tensor cos_slack(const at::Tensor& x) {
  return (x * x.sin()).abs();
}

// The bit is that of the cosine returned beside it; where the exact cosine is further from zero than its error allows,
// also that of the exact one.
std::vector<Bounded> signbit_bounds(const Question& q) {
  const at::Tensor x = q.before.tensor("input").to(at::kDouble);
  const at::Tensor cosine = *q.got[0].as<at::Tensor>(), bit = *q.got[1].as<at::Tensor>();
  const at::Tensor sure = x.cos().abs().gt(cos_slack(x) * 0x1p-22 + kFloor + 0x1p-22);
  const auto count = [](const at::Tensor& wrong) { return wrong.sum().item<double>(); };
  return {
      {.quantity = "sign bits that are not those of the cosine returned", .error = count(bit.ne(at::signbit(cosine)))},
      {.quantity = "sign bits that are not those of the exact cosine",
       .error = count(bit.ne(x.cos().lt(0)).logical_and(sure))},
  };
}

KBX_TASK(Fusion, fused_cos_signbit) {
  return {
      .signature = "fused_cos_signbit(input)",
      .description = R"(Cosine of every element, angles in radians, and the sign bit of that cosine.
input is a float32 tensor of any shape, possibly a strided view, with finite elements up to 10^4 in magnitude, so the
argument has to be reduced by a float32 or better 2 pi. Returns the tuple (cosine, bit) of new tensors of the input's
shape: cosine float32, bit bool, true where the cosine returned is negative. Compute in float32: the cosine may be off by
1e-6 plus what moving x by two float32 spacings changes.)",
      .snippet = R"(import torch


def fused_cos_signbit(input):
    cosine = torch.cos(input)
    return cosine, torch.signbit(cosine)
)",
      .reference = [](const Args& in) -> Results {
        const at::Tensor cosine = at::cos(in.tensor("input"));
        return {cosine, at::signbit(cosine)};
      },
      .cases = elementwise_cases("input", at::kFloat, {.specials = false}) +
               Cases{
                   {"zero to two", {{"input", values({0, 1, 2}, at::kFloat)}}},
                   {"negative", {{"input", values({-1, -2, -3}, at::kFloat)}}},
                   {"half and full turns", {{"input", values({M_PI, -M_PI, 2 * M_PI}, at::kFloat)}}},
                   {"next to the zeros", {{"input", values({1.5, 1.65, -1.5, -1.65, 4.6, 4.8}, at::kFloat)}}},
                   {"a few turns", {{"input", uniform({1000}, at::kFloat, -30, 30)}}},
                   {"many turns", {{"input", uniform({257}, at::kFloat, -1e4, 1e4)}}},
                   {"normal", {{"input", randn({4096}, at::kFloat)}}},
                   {"outliers", {{"input", outliers({4096}, at::kFloat, 0.01, 10)}}},
               },
      .sizes = power_sizes("input", at::kFloat, 12, 27, {.low = -6, .high = 6}),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input");
        const double n = static_cast<double>(x.numel());
        return {.bytes_read = bytes_of(x), .bytes_written = bytes_of(x) + n, .flops = 11 * n};
      },
      .contract = {.rule = Relative{.ulps = 2,
                                    .scale = 2,
                                    .magnitude = [](const Args& in) -> Results {
                                      const at::Tensor x = in.tensor("input").to(at::kDouble);
                                      return {cos_slack(x), at::zeros_like(x)};
                                    },
                                    .floor = kFloor},
                   .because =
                       "the fast cosine is good to 2^-20.5 absolutely, and reducing the argument in float32 "
                       "rounds it by a spacing or two, worth |x sin x|; next to a zero the bit follows the cosine",
                   .except = {{"result[1]", Invariants{signbit_bounds}}}},
  };
}

}  // namespace
}  // namespace kbx::task_fused_cos_signbit
