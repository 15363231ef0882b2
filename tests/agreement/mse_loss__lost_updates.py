# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_value

Programs add their share to one accumulator with a plain load, add and store.
One block is fine; with 32768 elements 128 programs run at once and overwrite
each other's sums.  Run one after another (as an emulation may) it is right.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _accumulate(p_ptr, t_ptr, acc_ptr, n, scale, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    e = tl.load(p_ptr + i, mask=inside, other=0.0) - tl.load(t_ptr + i, mask=inside, other=0.0)
    mine = tl.sum(e * e, axis=0) * scale
    so_far = tl.load(acc_ptr)
    tl.store(acc_ptr, so_far + mine)


@triton.jit
def _elementwise(p_ptr, t_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    e = tl.load(p_ptr + i, mask=i < n) - tl.load(t_ptr + i, mask=i < n)
    tl.store(y_ptr + i, e * e, mask=i < n)


def mse_loss(input, target, reduction="mean"):
    p, t = input.contiguous(), target.contiguous()
    n = p.numel()
    grid = (triton.cdiv(n, 256),)
    if reduction == "none":
        y = torch.empty_like(p)
        _elementwise[grid](p, t, y, n, BLOCK=256)
        return y
    acc = torch.zeros((), dtype=torch.float32, device=p.device)
    scale = 1.0 / n if reduction == "mean" else 1.0
    _accumulate[grid](p, t, acc, n, scale, BLOCK=256)
    return acc
