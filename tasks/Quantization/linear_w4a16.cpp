// SPDX-License-Identifier: Apache-2.0
#include "codes.h"

namespace kbx::task_linear_w4a16 {
namespace {

// Weights [O, K] quantised by group: scales are shared by so many consecutive inputs of a row; 0 is the whole row.
// The last group of a row may be shorter. codes holds the quantised weights themselves.
Codes quantised_weight(const at::Tensor& weight, int64_t group) {
  const int64_t rows = weight.size(0), k = weight.size(1), width = group == 0 ? k : group;
  const int64_t groups = (k + width - 1) / width;
  const at::Tensor padded = at::constant_pad_nd(weight.to(at::kDouble), {0, groups * width - k});
  const Codes q = quantise(padded.reshape({rows, groups, width}), {2}, 7, kInt4Margin);
  const auto flat = [&](const at::Tensor& t) { return t.reshape({rows, groups * width}).narrow(1, 0, k); };
  return {.codes = flat(q.codes * q.scale), .scale = q.scale, .unclear = flat(q.unclear)};
}

Scheme scheme(const std::string& name, int64_t group) {
  return {.name = name,
          .ideal =
              [group](const Args& in) {
                std::optional<at::Tensor> bias = in.optional_tensor("bias");
                if (bias) bias = bias->to(at::kDouble);
                const at::Tensor x = in.tensor("input").to(at::kDouble);
                return at::linear(x, quantised_weight(in.tensor("weight"), group).codes, bias);
              },
          .slack =
              [group](const Args& in) {
                const at::Tensor x = in.tensor("input").to(at::kDouble);
                return at::linear(x.abs(), quantised_weight(in.tensor("weight"), group).unclear);
              }};
}

Case problem(const std::string& label, Recipe input, Recipe weight, ArgRecipes more = {}) {
  ArgRecipes args = {{"input", std::move(input)}, {"weight", std::move(weight)}};
  for (auto& item : more) args.push_back(std::move(item));
  return {label, std::move(args)};
}

Cases linear_w4a16_cases() {
  const auto h = at::kHalf;
  const Recipe ones = values({1, 1, 1, 1}, {1, 4}, h);
  const auto wild = [](Shape shape) { return clamped(outliers(std::move(shape), at::kHalf, 0.01, 10), -10, 10); };
  return {
      // Scale 8/7, codes 6, -7, 3, -3: -1.142857, where the float product is -1.
      problem("limits of int4", ones, values({7, -8, 3.5, -3.5}, {1, 4}, h), {{"bias", Value()}}),
      problem("small beside large", ones, values({100, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, {2, 4}, h)),
      problem("zero row", randn({2, 4}, h), values({1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8}, {3, 4}, h)),
      problem("bias", values({2, 2, 2, 2}, {1, 4}, h), values({0.5, -0.5, 1, -1}, {1, 4}, h),
              {{"bias", values({10}, h)}}),
      problem("16 x 256 x 128", clamped(randn({16, 256}, h), -10, 10), clamped(randn({128, 256}, h), -10, 10)),
      problem("8 x 128 x 64", randn({8, 128}, h), randn({64, 128}, h)),
      problem("outliers, 16 x 256 x 128", wild({16, 256}), wild({128, 256})),
      problem("outliers, 8 x 128 x 64", wild({8, 128}), wild({64, 128})),
      problem("bias, 12 x 64 x 40", randn({12, 64}, h), randn({40, 64}, h), {{"bias", randn({40}, h, 5)}}),
      problem("positive values", uniform({6, 200}, h), uniform({30, 200}, h)),
      problem("ragged", randn({7, 51}, h), randn({29, 51}, h), {{"bias", randn({29}, h)}}),
      problem("odd number of inputs", randn({3, 9}, h), randn({5, 9}, h)),
      problem("batch", randn({2, 3, 40}, h), randn({12, 40}, h)),
      problem("one vector", randn({70}, h), randn({20, 70}, h)),
      problem("transposed", transposed(randn({40, 9}, h)), transposed(randn({40, 20}, h))),
  };
}

KBX_TASK(Quantization, linear_w4a16) {
  return {
      .signature = "linear_w4a16(input, weight, bias=None)",
      .description = R"(Linear layer with float16 activations and weights quantised in the call to 4-bit integers.
input is float16 [..., K], weight float16 [O, K], bias None or float16 [O]; returns a new float16 tensor [..., O].
  scale s[o] = max over k of |w[o, k]| / 7, one a row (or one for each group of 32, 64 or 128 consecutive inputs of a
  row, the last group shorter where K is no multiple)
  codes q[o, k] = round(w[o, k] / s[o]), int4, in -7 .. 7
  y[..., o] = sum over k of x[..., k] * (q[o, k] s[o])  + bias[o]
round is to nearest, ties either way. A row of zeros has codes of zero. K may be odd. The scales may be held in float32
or float16, the products q s in either as well; the sum is in float32 and rounded to float16 once.
What is judged is this arithmetic: the result has to match one of the schemes within rounding (2e-3 of the largest
output), and the float product, although nearer to the unquantised answer, is refused. For the row [7, -8, 3.5, -3.5]
and an input of ones the answer is -1.142857, not -1. Codes may be packed two a byte, which nothing outside sees.
Tensors may be strided views.)",
      .snippet = R"(import torch


def linear_w4a16(input, weight, bias=None):
    w = weight.float()
    scale = w.abs().amax(1, keepdim=True) / 7
    codes = torch.where(scale > 0, w / scale, 0).round()
    packed = torch.nn.functional.pad(codes, (0, codes.shape[1] % 2)).to(torch.int8) & 15
    packed = packed[:, ::2] | packed[:, 1::2] << 4
    # Unpacked as a kernel does it: the low and the high half of each byte, with their signs.
    low, high = (packed << 4) >> 4, packed >> 4
    codes = torch.stack([low, high], dim=-1).flatten(1)[:, :w.shape[1]]
    result = torch.matmul(input.float(), (codes * scale).t())
    return (result if bias is None else result + bias).to(input.dtype)
)",
      .reference = [](const Args& in) -> Results {
        return {at::linear(in.tensor("input"), in.tensor("weight"), in.optional_tensor("bias"))};
      },
      .cases = linear_w4a16_cases(),
      .sizes =
          [] {
            Sizes out;
            const std::vector<std::pair<int64_t, int64_t>> shapes = {{1, 4096}, {8, 4096}, {32, 16384}};
            for (const auto& [rows, outputs] : shapes)
              out.push_back({std::to_string(rows) + "x4096x" + std::to_string(outputs),
                             problem("", uniform({rows, 4096}, at::kHalf), uniform({outputs, 4096}, at::kHalf),
                                     {{"bias", uniform({outputs}, at::kHalf)}})
                                 .args});
            return out;
          }(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input"), w = in.tensor("weight");
        const double outputs = static_cast<double>(x.numel() / x.size(-1) * w.size(0));
        const double products = 2 * outputs * static_cast<double>(w.size(1));
        return {.bytes_read = bytes_of(x) + bytes_of(w) + (in.has("bias") ? bytes_of(in.tensor("bias")) : 0),
                .bytes_written = 2 * outputs,
                .flops = products + 3 * static_cast<double>(w.numel()),
                .matrix_flops = products};
      },
      .contract =
          {Quantised{.schemes = {scheme("one scale a row", 0), scheme("groups of 128", 128), scheme("groups of 64", 64),
                                 scheme("groups of 32", 32)},
                     .rounding = 2e-3},
           "scale, product and result are rounded to float16 at most once each, 2^-11 of the output every time; "
           "the float product differs by the error of 15 codes, tens of times more"},
  };
}

}  // namespace
}  // namespace kbx::task_linear_w4a16
