# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

The reduction's name is a string constexpr, the pointwise term a device function
with constexpr branches (a target of zero counts as zero), and the sums go
through one float atomic per row into an accumulator that starts at zero.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _term(x, t, LOG_TARGET: tl.constexpr):
    if LOG_TARGET:
        return tl.exp(t) * (t - x)
    safe = tl.where(t > 0, t, 1.0)
    return tl.where(t > 0, t * (tl.log(safe) - x), tl.where(t == 0, 0.0, float("nan")))


@triton.jit
def _kl_rows(x_ptr, t_ptr, y_ptr, cols, divisor, LOG_TARGET: tl.constexpr,
             REDUCTION: tl.constexpr, B: tl.constexpr):
    row = tl.program_id(0)
    x_row = x_ptr + row * cols
    t_row = t_ptr + row * cols
    acc = tl.zeros([B], dtype=tl.float32)
    for c0 in range(0, cols, B):
        c = c0 + tl.arange(0, B)
        ok = c < cols
        v = _term(tl.load(x_row + c, mask=ok, other=0.0), tl.load(t_row + c, mask=ok, other=0.0), LOG_TARGET)
        if REDUCTION == "none":
            tl.store(y_ptr + row * cols + c, v, mask=ok)
        else:
            acc += tl.where(ok, v, 0.0)
    if REDUCTION != "none":
        tl.atomic_add(y_ptr, tl.sum(acc, 0) / divisor)


def kl_div(input, target, reduction="batchmean", log_target=False):
    x, t = torch.broadcast_tensors(input, target)
    x, t = x.contiguous(), t.contiguous()
    cols = x.shape[-1] if x.dim() else 1
    rows = x.numel() // cols
    if reduction == "none":
        y = torch.empty_like(x)
    else:
        y = torch.zeros((), dtype=x.dtype, device=x.device)
    divisor = {"mean": x.numel(), "batchmean": input.shape[0]}.get(reduction, 1)
    _kl_rows[(rows,)](x, t, y, cols, float(divisor), LOG_TARGET=bool(log_target), REDUCTION=reduction,
                      B=min(1024, max(16, triton.next_power_of_2(cols))), num_warps=1)
    return y
