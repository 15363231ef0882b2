# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: runtime_error

A right implicit GEMM with tiles chosen without a thought for shared memory:
128x256 and 256x256 float32 operands, split for tf32x3, need 512 KiB where the
H200 allows a block 227 KiB, and Triton raises OutOfResources before the first launch.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _gemm_conv(x, w, y, N, C, H, W, O, OH, OW, stride, pad, dil, KH, KW,
               BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    o = tl.program_id(1) * BN + tl.arange(0, BN)
    n = m // (OH * OW)
    oy = (m // OW) % OH
    ox = m % OW
    K = C * KH * KW
    acc = tl.zeros((BM, BN), tl.float32)
    for k0 in tl.range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        c = k // (KH * KW)
        iy = oy[:, None] * stride - pad + ((k // KW) % KH)[None, :] * dil
        ix = ox[:, None] * stride - pad + (k % KW)[None, :] * dil
        ok = (m < N * OH * OW)[:, None] & (k < K)[None, :] & (iy >= 0) & (iy < H) & (ix >= 0) & (ix < W)
        a = tl.load(x + ((n[:, None] * C + c[None, :]) * H + iy) * W + ix, mask=ok, other=0.0)
        b = tl.load(w + o[None, :] * K + k[:, None], mask=(o < O)[None, :] & (k < K)[:, None], other=0.0)
        acc = tl.dot(a, b, acc, input_precision="tf32x3")
    tl.store(y + (n[:, None] * O + o[None, :]) * (OH * OW) + (oy * OW + ox)[:, None], acc,
             mask=(m < N * OH * OW)[:, None] & (o < O)[None, :])


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    assert groups == 1, "grouped convolution is not written"
    x, w = input.contiguous(), weight.contiguous()
    N, C, H, W = x.shape
    O, _, KH, KW = w.shape
    OH = (H + 2 * padding - dilation * (KH - 1) - 1) // stride + 1
    OW = (W + 2 * padding - dilation * (KW - 1) - 1) // stride + 1
    y = torch.empty((N, O, OH, OW), dtype=x.dtype, device=x.device)
    BM, BN, BK = 128, 256, 256
    _gemm_conv[(triton.cdiv(N * OH * OW, BM), triton.cdiv(O, BN))](
        x, w, y, N, C, H, W, O, OH, OW, stride, padding, dilation, KH, KW,
        BM=BM, BN=BN, BK=BK, num_warps=8, num_stages=1,
    )
    return y if bias is None else y.add_(bias.view(1, -1, 1, 1))
