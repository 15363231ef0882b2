// SPDX-License-Identifier: Apache-2.0
#include "codes.h"

namespace kbx::task_matmul_w8a8 {
namespace {

// Activations share a scale over dims: a row's, or the whole tensor's.
Scheme scheme(const std::string& name, std::vector<int64_t> dims) {
  const auto codes = [dims](const Args& in) {
    return std::pair(quantise(in.tensor("input"), dims, 127, kInt8Margin),
                     quantise(in.tensor("weight"), {0}, 127, kInt8Margin));
  };
  return {.name = name,
          .ideal =
              [codes](const Args& in) {
                const auto [x, w] = codes(in);
                return at::matmul(x.codes, w.codes) * x.scale * w.scale;
              },
          .slack =
              [codes](const Args& in) {
                const auto [x, w] = codes(in);
                return at::matmul(x.unclear, (w.codes * w.scale).abs()) +
                       at::matmul((x.codes * x.scale).abs() + x.unclear, w.unclear);
              }};
}

Case problem(const std::string& label, Recipe input, Recipe weight) {
  return {label, {{"input", std::move(input)}, {"weight", std::move(weight)}}};
}

Cases matmul_w8a8_cases() {
  const auto f = at::kFloat;
  const auto wild = [](Shape shape) { return clamped(outliers(std::move(shape), at::kFloat, 0.01, 10), -10, 10); };
  return {
      problem("small", values({1, 2}, {1, 2}, f), values({1, 0, -1, 2, 0, 3}, {2, 3}, f)),
      problem("limits", values({127}, {1, 1}, f), values({-127}, {1, 1}, f)),
      problem("small beside large", values({1, 1}, {1, 2}, f), values({100, 0.01, -0.01, 0.01, -100, 0.01}, {2, 3}, f)),
      problem("zero column", values({1, -1}, {1, 2}, f), values({0, -0.0, -0.0, 1}, {2, 2}, f)),
      problem("zero row",
              apply(
                  randn({9, 33}, f), [](const at::Tensor& x) { return x.index_fill(0, at::arange(2, 4), 0); },
                  "rows 2 and 3 zero"),
              randn({33, 10}, f)),
      problem("32 x 256 x 128", clamped(randn({32, 256}, f), -10, 10), clamped(randn({256, 128}, f), -10, 10)),
      problem("64 x 128 x 64", randn({64, 128}, f), randn({128, 64}, f)),
      problem("outliers, 32 x 256 x 128", wild({32, 256}), wild({256, 128})),
      problem("outliers, 64 x 128 x 64", wild({64, 128}), wild({128, 64})),
      problem("rows of different size",
              apply(
                  randn({20, 64}, f),
                  [](const at::Tensor& x) { return x * at::logspace(-3, 3, x.size(0), 10, x.options()).unsqueeze(1); },
                  "rows scaled by 1e-3 .. 1e3"),
              randn({64, 16}, f)),
      problem("positive values", uniform({24, 200}, f), uniform({200, 24}, f)),
      problem("ragged", randn({37, 131}, f), randn({131, 29}, f)),
      problem("one row", randn({1, 70}, f), randn({70, 50}, f)),
      problem("transposed", transposed(randn({70, 20}, f)), transposed(randn({30, 70}, f))),
  };
}

KBX_TASK(Quantization, matmul_w8a8) {
  return {
      .signature = "matmul_w8a8(input, weight)",
      .description = R"(Product of float32 matrices input [M, K] and weight [K, N] in 8-bit integers: both are quantised
in the call, multiplied as integers and scaled back. Returns a new float32 tensor [M, N].
  weight: one scale a column, sw[n] = max over k of |w[k, n]| / 127; codes qw = round(w / sw), int8 in -127 .. 127
  input:  one scale a row, sx[m] = max over k of |x[m, k]| / 127 (or one for the whole of input: max |x| / 127);
          codes qx = round(x / sx), int8
  y[m, n] = sx[m] sw[n] * sum over k of qx[m, k] qw[k, n],    the sum exact, as in int32
round is to nearest, ties either way. A row or column of zeros has codes of zero. Scales are float32.
What is judged is this arithmetic: the result has to match one of the two schemes within float32 rounding (1e-5 of the
largest output), and the float product, although nearer to the unquantised answer, is refused. Tensors may be strided
views.)",
      .snippet = R"(import torch


def _quantise(t, dim):
    scale = t.abs().amax(dim, keepdim=True) / 127
    return torch.where(scale > 0, t / scale, 0).round(), scale


def matmul_w8a8(input, weight):
    x, x_scale = _quantise(input, 1)
    w, w_scale = _quantise(weight, 0)
    # float64 holds the sums of int8 products exactly, and multiplies on every device.
    return torch.matmul(x.double(), w.double()).float() * x_scale * w_scale
)",
      .reference = [](const Args& in) -> Results { return {at::matmul(in.tensor("input"), in.tensor("weight"))}; },
      .cases = matmul_w8a8_cases(),
      .sizes =
          [] {
            Sizes out;
            for (int i = 0; i < 4; ++i) {
              const int64_t m = 128 << i, k = 256 << i, n = 512 << i;
              out.push_back({std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n),
                             problem("", uniform({m, k}, at::kFloat), uniform({k, n}, at::kFloat)).args});
            }
            return out;
          }(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input"), w = in.tensor("weight");
        const double outputs = static_cast<double>(x.size(0) * w.size(1));
        const double products = 2 * outputs * static_cast<double>(x.size(1));
        return {.bytes_read = bytes_of(x) + bytes_of(w),
                .bytes_written = 4 * outputs,
                .flops = products + 2 * outputs + 3 * static_cast<double>(x.numel() + w.numel()),
                .matrix_flops = products};
      },
      .contract = {Quantised{.schemes = {scheme("activations by row, weights by column", {1}),
                                         scheme("one scale for activations, weights by column", {0, 1})},
                             .rounding = 1e-5},
                   "sums of int8 products are exact and scaling them back rounds two or three times; the float product "
                   "differs from every scheme by the quantisation error, hundreds of times more"},
  };
}

}  // namespace
}  // namespace kbx::task_matmul_w8a8
