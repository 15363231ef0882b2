# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_value

The two steps are swapped: the input is shrunk before the dropout scales it, so kept
elements between lambd*(1-p) and lambd come out 0 instead of x/(1-p). Cases without
training are right; the fault is seen only where random results are checked.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _shrink_drop(x_ptr, y_ptr, n, lambd, p, scale, seed, TRAINING: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    y = tl.where((x >= -lambd) & (x <= lambd), 0.0, x)
    if TRAINING:
        keep = tl.rand(seed, offs) >= p
        y = tl.where(keep, y * scale, 0.0)
    tl.store(y_ptr + offs, y, mask=mask)


def fused_hardshrink_dropout(input, p=0.5, training=True, inplace=False, lambd=0.5):
    x = input.contiguous()
    y = x if inplace else torch.empty_like(x)
    n = x.numel()
    seed = int(torch.randint(0, 2**31 - 1, (1,)).item())
    scale = 1.0 / (1.0 - p) if p < 1.0 else 0.0
    if n:
        _shrink_drop[(triton.cdiv(n, 512),)](x, y, n, float(lambd), float(p), scale, seed,
                                             TRAINING=bool(training and p > 0.0), BLOCK=512)
    if inplace and x is not input:
        input.copy_(y)
        return input
    return y
