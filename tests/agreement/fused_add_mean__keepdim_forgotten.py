# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_shape

The means are right but keepdim only reaches the dim=None branch: with dim=0 or
dim=1 and keepdim=True the result comes back as [n] where [1,n] or [n,1] is due.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _sum2(a, b):
    return a + b


@triton.jit
def _line_mean(x, o, y, length, line_pitch, elem_pitch, alpha, IS_SCALAR: tl.constexpr, B: tl.constexpr):
    line = tl.program_id(0)
    acc = tl.zeros((B,), tl.float32)
    for s in range(0, length, B):
        e = s + tl.arange(0, B)
        p = line * line_pitch + e * elem_pitch
        a = tl.load(x + p, mask=e < length, other=0.0)
        if IS_SCALAR:
            b = tl.where(e < length, o, 0.0)
        else:
            b = tl.load(o + p, mask=e < length, other=0.0)
        acc += a + alpha * b
    tl.store(y + line, tl.reduce(acc, 0, _sum2) / length)


def fused_add_mean(input, other, dim=None, alpha=1, keepdim=False, dtype=None, out=None):
    x = input.contiguous()
    scalar = not isinstance(other, torch.Tensor)
    o = float(other) if scalar else other.expand_as(x).contiguous()
    if dim is None:
        y = torch.empty((1,) * x.dim() if keepdim else (), dtype=x.dtype, device=x.device)
        _line_mean[(1,)](x, o, y, x.numel(), 0, 1, float(alpha), IS_SCALAR=scalar, B=2048)
        return y
    assert x.dim() == 2
    rows, cols = x.shape
    if dim % 2 == 0:
        y = torch.empty((cols,), dtype=x.dtype, device=x.device)
        _line_mean[(cols,)](x, o, y, rows, 1, cols, float(alpha), IS_SCALAR=scalar, B=128)
    else:
        y = torch.empty((rows,), dtype=x.dtype, device=x.device)
        _line_mean[(rows,)](x, o, y, cols, cols, 1, float(alpha), IS_SCALAR=scalar, B=128)
    return y
