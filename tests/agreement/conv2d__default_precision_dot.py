# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_value

An implicit GEMM, right in its indices, whose tl.dot is left at the default
precision: on Hopper float32 operands go through the tensor cores as TF32 (10
bits of mantissa), far outside 1e-5 of a float32 convolution.  (A judge whose
reference is itself a TF32 cuDNN path would still differ in rounding order.)
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _conv(x, w, y, C, H, W, O, OH, OW, S, P, D,
          KH: tl.constexpr, KW: tl.constexpr,
          PIX: tl.constexpr, OUT: tl.constexpr, CH: tl.constexpr):
    n = tl.program_id(1)
    p = tl.program_id(0) * PIX + tl.arange(0, PIX)
    o = tl.arange(0, OUT)
    c = tl.arange(0, CH)
    r = p // OW
    q = p - r * OW
    acc = tl.zeros([OUT, PIX], dtype=tl.float32)
    for dy in tl.static_range(KH):
        for dx in tl.static_range(KW):
            iy = r * S - P + dy * D
            ix = q * S - P + dx * D
            fits = (p < OH * OW) & (iy >= 0) & (iy < H) & (ix >= 0) & (ix < W)
            for c0 in range(0, C, CH):
                ch = c0 + c
                wt = tl.load(w + ((o[:, None] * C + ch[None, :]) * KH + dy) * KW + dx,
                             mask=(o < O)[:, None] & (ch < C)[None, :], other=0.0)
                xt = tl.load(x + ((n * C + ch[:, None]) * H + iy[None, :]) * W + ix[None, :],
                             mask=fits[None, :] & (ch < C)[:, None], other=0.0)
                acc += tl.dot(wt, xt)
    tl.store(y + (n * O + o[:, None]) * (OH * OW) + p[None, :], acc,
             mask=(o < O)[:, None] & (p < OH * OW)[None, :])


@triton.jit
def _bias_rows(y, b, O, HW, B: tl.constexpr):
    row = tl.program_id(0)
    v = tl.load(b + row % O)
    for s in range(0, HW, B):
        i = s + tl.arange(0, B)
        tl.store(y + row * HW + i, tl.load(y + row * HW + i, mask=i < HW) + v, mask=i < HW)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    if groups != 1:
        parts = [
            conv2d(xs, ws, None, stride, padding, dilation, 1)
            for xs, ws in zip(input.chunk(groups, 1), weight.chunk(groups, 0))
        ]
        y = torch.cat(parts, 1)
    else:
        x, w = input.contiguous(), weight.contiguous()
        N, C, H, W = x.shape
        O, _, KH, KW = w.shape
        OH = (H + 2 * padding - dilation * (KH - 1) - 1) // stride + 1
        OW = (W + 2 * padding - dilation * (KW - 1) - 1) // stride + 1
        y = x.new_empty((N, O, OH, OW))
        OUT = max(16, triton.next_power_of_2(O))
        _conv[(triton.cdiv(OH * OW, 64), N)](
            x, w, y, C, H, W, O, OH, OW, stride, padding, dilation,
            KH=KH, KW=KW, PIX=64, OUT=OUT, CH=16,
        )
    if bias is not None:
        N, O, OH, OW = y.shape
        _bias_rows[(N * O,)](y, bias, O, OH * OW, B=128)
    return y
