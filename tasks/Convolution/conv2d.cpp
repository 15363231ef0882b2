// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/convolution.h"
#include "kbx/task/define.h"

namespace kbx::task_conv2d {
namespace {

// 2^i images of 2^(3+i) channels, 16 x 16, filtered 3 x 3.
Sizes conv2d_sizes() {
  Sizes out;
  for (int i = 1; i <= 7; ++i) {
    const int64_t batch = 1 << i, channels = 1 << (3 + i), filters = 1 << (4 + i);
    out.push_back({std::to_string(batch) + "x" + std::to_string(channels) + "x16x16",
                   {{"input", randn({batch, channels, 16, 16}, at::kFloat)},
                    {"weight", randn({filters, channels, 3, 3}, at::kFloat)},
                    {"bias", randn({filters}, at::kFloat)}}});
  }
  return out;
}

KBX_TASK(Convolution, conv2d) {
  return {
      .signature = "conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)",
      .description = R"(2-d convolution (cross-correlation: the kernel is not flipped) of a batch of images.
input is float32 [N, C, H, W], weight [O, C / groups, KH, KW], bias None or [O]; the result is a new float32 tensor
[N, O, H', W'] with H' = (H + 2 padding - dilation (KH - 1) - 1) // stride + 1, W' likewise:
  y[n, o, i, j] = bias[o] + sum over c, u, v of
                  x[n, g C / groups + c, i stride - padding + u dilation, j stride - padding + v dilation] w[o, c, u, v]
where g = o // (O / groups) and elements outside the image count as zero. stride, padding and dilation are an int for
both directions or a pair (vertical, horizontal). padding may also be 'valid' (0) or 'same' (stride 1 only: the result
has the size of the input; of an odd total dilation (K - 1) the larger half is added below and on the right).
C and O are divisible by groups. N may be 0. Tensors need not be contiguous.
Sums are in float32: TF32, bfloat16 and float16 products are refused.)",
      .snippet = R"(import torch
import torch.nn.functional as F


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return F.conv2d(input, weight, bias, stride, padding, dilation, groups)
)",
      .reference = [](const Args& in) -> Results { return {convolve_2d(in)}; },
      .cases = convolve_2d_cases(at::kFloat),
      .sizes = conv2d_sizes(),
      .cost = [](const Args& in) -> Cost {
        const at::Tensor x = in.tensor("input"), w = in.tensor("weight");
        const double outputs = convolve_2d_outputs(in), products = convolve_2d_flops(in);
        const bool has_bias = in.has("bias");
        return {.bytes_read = bytes_of(x) + bytes_of(w) + (has_bias ? bytes_of(in.tensor("bias")) : 0),
                .bytes_written = outputs * static_cast<double>(x.element_size()),
                .flops = products + (has_bias ? outputs : 0),
                .matrix_flops = products};
      },
      .contract = {.rule = Relative{.ulps = 1,
                                    .scale = 1,
                                    .magnitude = [](const Args& in) -> Results { return {convolve_2d_slack(in)}; }},
                   .because =
                       "float32 sums in any order, Winograd's included, stay within 2 sqrt(n) |sum| + 16 sum|x w| "
                       "spacings; TF32 operands miss by hundreds"},
  };
}

}  // namespace
}  // namespace kbx::task_conv2d
