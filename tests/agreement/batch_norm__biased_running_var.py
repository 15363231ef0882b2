# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_value

Two kernels, sums by atomics, then the normalisation. The result is right, but
running_var is updated with the biased variance (divisor n instead of n - 1), 3e-3
off in case 2.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _sums(x_ptr, sum_ptr, sq_ptr, C, S, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    offs = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < S
    x = tl.load(x_ptr + plane * S + offs, mask=mask, other=0.0)
    c = plane % C
    tl.atomic_add(sum_ptr + c, tl.sum(x, axis=0))
    tl.atomic_add(sq_ptr + c, tl.sum(x * x, axis=0))


@triton.jit
def _statistics(sum_ptr, sq_ptr, rm_ptr, rv_ptr, C, count, momentum, CP: tl.constexpr):
    c = tl.arange(0, CP)
    mask = c < C
    mean = tl.load(sum_ptr + c, mask=mask, other=0.0) / count
    var = tl.load(sq_ptr + c, mask=mask, other=0.0) / count - mean * mean
    rm = tl.load(rm_ptr + c, mask=mask, other=0.0)
    rv = tl.load(rv_ptr + c, mask=mask, other=0.0)
    tl.store(rm_ptr + c, rm + momentum * (mean - rm), mask=mask)
    tl.store(rv_ptr + c, rv + momentum * (var - rv), mask=mask)
    tl.store(sum_ptr + c, mean, mask=mask)
    tl.store(sq_ptr + c, var, mask=mask)


@triton.jit
def _normalise(x_ptr, y_ptr, mean_ptr, var_ptr, w_ptr, b_ptr, C, S, n, eps,
               AFFINE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    c = (i // S) % C
    x = tl.load(x_ptr + i, mask=mask)
    y = (x - tl.load(mean_ptr + c, mask=mask)) * tl.rsqrt(tl.load(var_ptr + c, mask=mask, other=1.0) + eps)
    if AFFINE:
        y = y * tl.load(w_ptr + c, mask=mask) + tl.load(b_ptr + c, mask=mask)
    tl.store(y_ptr + i, y, mask=mask)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    x = input.contiguous()
    y = torch.empty_like(x)
    N, C = x.shape[:2]
    S = x.numel() // (N * C)
    mean, var = running_mean, running_var
    if training:
        mean = torch.zeros(C, device=x.device, dtype=torch.float32)
        var = torch.zeros(C, device=x.device, dtype=torch.float32)
        _sums[(N * C, triton.cdiv(S, 256))](x, mean, var, C, S, BLOCK=256)
        _statistics[(1,)](mean, var, running_mean, running_var, C, float(N * S), momentum,
                          CP=triton.next_power_of_2(C))
    affine = weight is not None or bias is not None
    if affine:
        weight = weight if weight is not None else torch.ones(C, device=x.device)
        bias = bias if bias is not None else torch.zeros(C, device=x.device)
    _normalise[(triton.cdiv(x.numel(), 512),)](x, y, mean, var, weight, bias, C, S, x.numel(), eps,
                                               AFFINE=affine, BLOCK=512)
    return y
