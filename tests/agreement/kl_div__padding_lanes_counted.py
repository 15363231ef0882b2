# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_value

The reduced form pads to 1024 lanes and sums every lane.  The padding of the
target is zero, its logarithm minus infinity, and 0 * -inf is NaN, so batchmean
over 32 or 512 elements is NaN.  With log_target the padding contributes
exp(0) * (0 - 0) = 0 and is harmless; 'none' masks its store and is right.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _kl(x_ptr, t_ptr, y_ptr, n, inv, LOG: tl.constexpr, WHOLE: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    if WHOLE:
        total = 0.0
        for s in range(0, n, BLOCK):
            x = tl.load(x_ptr + s + offs, mask=s + offs < n, other=0.0)
            t = tl.load(t_ptr + s + offs, mask=s + offs < n, other=0.0)
            if LOG:
                v = tl.exp(t) * (t - x)
            else:
                v = t * (tl.log(t) - x)
            total += tl.sum(v, axis=0)
        tl.store(y_ptr, total * inv)
    else:
        offs += tl.program_id(0) * BLOCK
        x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
        t = tl.load(t_ptr + offs, mask=offs < n, other=0.0)
        v = tl.exp(t) * (t - x) if LOG else t * (tl.log(t) - x)
        tl.store(y_ptr + offs, v, mask=offs < n)


def kl_div(input, target, reduction="batchmean", log_target=False):
    x, t = input.contiguous(), target.contiguous()
    n = x.numel()
    if reduction == "none":
        y = torch.empty_like(x)
        _kl[(triton.cdiv(n, 1024),)](x, t, y, n, 1.0, LOG=log_target, WHOLE=False, BLOCK=1024)
        return y
    inv = {"sum": 1.0, "mean": 1.0 / n, "batchmean": 1.0 / x.shape[0]}[reduction]
    y = torch.empty((), dtype=x.dtype, device=x.device)
    _kl[(1,)](x, t, y, n, inv, LOG=log_target, WHOLE=True, BLOCK=1024)
    return y
