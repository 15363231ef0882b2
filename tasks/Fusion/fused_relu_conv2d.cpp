// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/convolution.h"
#include "kbx/task/define.h"

namespace kbx::task_fused_relu_conv2d {
namespace {

Sizes relu_conv2d_sizes() {
  Sizes out;
  for (int i = 5; i <= 11; ++i) {
    const int64_t side = 1 << i;
    out.push_back({std::to_string(side) + "x" + std::to_string(side),
                   {{"input", randn({1, 3, side, side}, at::kFloat)},
                    {"weight", randn({64, 3, 3, 3}, at::kFloat)},
                    {"padding", 1}}});
  }
  return out;
}

KBX_TASK(Fusion, fused_relu_conv2d) {
  return {
      .signature =
          "fused_relu_conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, inplace=False)",
      .description = R"(2-d convolution followed by max(y, 0).
input is float32 [N, C, H, W], weight [O, C / groups, KH, KW], bias None or [O]; the result is a new float32 tensor
[N, O, H', W'] with H' = (H + 2 padding - dilation (KH - 1) - 1) // stride + 1, W' likewise:
  y[n, o, i, j] = max(0, bias[o] + sum over c, u, v of
                  x[n, g C / groups + c, i stride - padding + u dilation, j stride - padding + v dilation] w[o, c, u, v])
where g = o // (O / groups) and elements outside the image count as zero. stride, padding and dilation are an int for
both directions or a pair (vertical, horizontal). padding may also be 'valid' (0) or 'same' (stride 1 only: the result
has the size of the input; of an odd total dilation (K - 1) the larger half is added below and on the right).
inplace concerns the intermediate result only and never the arguments: it changes nothing that can be seen.
N may be 0. Tensors need not be contiguous. Sums are in float32: TF32, bfloat16 and float16 products are refused.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def fused_relu_conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, inplace=False):
    return F.relu(F.conv2d(input, weight, bias, stride, padding, dilation, groups), inplace=inplace)
)",
      .reference = [](const Args& in) -> Results { return {at::relu(convolve_2d(in))}; },
      .cases = convolve_2d_cases(at::kFloat) + Cases{{"inplace",
                                                      {{"input", randn({1, 3, 9, 9}, at::kFloat)},
                                                       {"weight", randn({8, 3, 3, 3}, at::kFloat)},
                                                       {"bias", randn({8}, at::kFloat)},
                                                       {"inplace", true}}}},
      .sizes = relu_conv2d_sizes(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input"), w = in.tensor("weight");
        const double outputs = convolve_2d_outputs(in), products = convolve_2d_flops(in);
        const bool has_bias = in.has("bias");
        return {.bytes_read = bytes_of(x) + bytes_of(w) + (has_bias ? bytes_of(in.tensor("bias")) : 0),
                .bytes_written = outputs * static_cast<double>(x.element_size()),
                .flops = products + (has_bias ? 2 : 1) * outputs,
                .matrix_flops = products};
      },
      .contract = {.rule = Relative{.ulps = 1,
                                    .scale = 1,
                                    .magnitude = [](const Args& in) -> Results { return {convolve_2d_slack(in)}; }},
                   .because = "relu passes on at most the error of the convolution: 2 sqrt(n) |sum| + 16 sum|x w| "
                              "spacings for float32 in any order, Winograd's included; TF32 misses by hundreds"},
  };
}

}  // namespace
}  // namespace kbx::task_fused_relu_conv2d
