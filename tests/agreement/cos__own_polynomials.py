# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

Cosine by a three-step reduction modulo pi/2 (fused multiply-add) and Taylor
polynomials in nested device functions; huge arguments fall back to tl.cos.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _sin_poly(r):
    s = r * r
    p = 2.7557319223985893e-06
    p = p * s - 1.984126984126984e-04
    p = p * s + 8.333333333333333e-03
    p = p * s - 1.6666666666666666e-01
    return r + r * s * p


@triton.jit
def _cos_poly(r):
    s = r * r
    p = -2.755731922398589e-07
    p = p * s + 2.48015873015873e-05
    p = p * s - 1.388888888888889e-03
    p = p * s + 4.1666666666666664e-02
    p = p * s - 0.5
    return 1.0 + s * p


@triton.jit
def _reduce(x):
    k = tl.floor(x * 0.6366197723675814 + 0.5)
    r = tl.fma(k, tl.full(x.shape, -1.57079601287841796875, tl.float32), x)
    r = tl.fma(k, tl.full(x.shape, -3.139164164167596e-07, tl.float32), r)
    r = tl.fma(k, tl.full(x.shape, -5.390302529957765e-15, tl.float32), r)
    return r, k


@triton.jit
def _cosine(x):
    r, k = _reduce(x)
    small = tl.abs(x) < 30000.0
    q = tl.where(small, k, 0.0).to(tl.int32) & 3
    value = tl.where((q & 1) == 1, _sin_poly(r), _cos_poly(r))
    value = tl.where((q == 1) | (q == 2), -value, value)
    return tl.where(small, value, tl.cos(x))


@triton.jit
def _cos_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    step = tl.num_programs(0) * BLOCK
    for first in tl.range(start, n, step):
        offs = first + tl.arange(0, BLOCK)
        mask = offs < n
        x = tl.load(x_ptr + offs, mask=mask, other=0.0)
        tl.store(y_ptr + offs, _cosine(x), mask=mask)


def cos(input_tensor):
    x = input_tensor.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    if n:
        _cos_kernel[(min(triton.cdiv(n, 512), 2048),)](x, y, n, BLOCK=512)
    return y
