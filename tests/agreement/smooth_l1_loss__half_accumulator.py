# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_value

The reduced forms keep their running sums in float16 'to save registers'; the
rounding of each term alone is about 2e-4 relative, well outside 1e-5.  The
reduction='none' form stays in float32 and is right.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _huberish(d, beta):
    a = tl.abs(d)
    return tl.where(a < beta, 0.5 * a * a / beta, a - 0.5 * beta)


@triton.jit
def _smooth(x, t, y, n, beta, MODE: tl.constexpr, B: tl.constexpr):
    lane = tl.arange(0, B)
    if MODE == 0:
        i = tl.program_id(0) * B + lane
        d = tl.load(x + i, mask=i < n, other=0.0) - tl.load(t + i, mask=i < n, other=0.0)
        tl.store(y + i, _huberish(d, beta), mask=i < n)
    else:
        acc = tl.zeros((B,), dtype=tl.float16)
        for s in range(0, n, B):
            i = s + lane
            d = tl.load(x + i, mask=i < n, other=0.0) - tl.load(t + i, mask=i < n, other=0.0)
            acc += _huberish(d, beta).to(tl.float16)
        total = tl.sum(acc.to(tl.float32), axis=0)
        if MODE == 2:
            total = total / n
        tl.store(y, total)


def smooth_l1_loss(input, target, beta=1.0, reduction="mean"):
    x, t = input.contiguous(), target.contiguous()
    n = x.numel()
    mode = {"none": 0, "sum": 1, "mean": 2}[reduction]
    y = torch.empty_like(x) if mode == 0 else torch.empty((), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(n, 256),) if mode == 0 else (1,)
    _smooth[grid](x, t, y, n, float(beta), MODE=mode, B=256)
    return y
