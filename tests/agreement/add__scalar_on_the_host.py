# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: runtime_error

A scalar `other` is wrapped in torch.tensor() without a device and so lives on
the CPU; its pointer cannot be accessed from the kernel and Triton's launcher
raises ValueError.  Tensor + tensor is right.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _axpy(x_ptr, o_ptr, y_ptr, n, alpha, O_STEP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    x = tl.load(x_ptr + i, mask=ok)
    o = tl.load(o_ptr + i * O_STEP, mask=ok)
    tl.store(y_ptr + i, tl.fma(o, alpha + tl.zeros_like(o), x), mask=ok)


def add(input, other, alpha=1, out=None):
    x = input.contiguous()
    if isinstance(other, torch.Tensor):
        o, step = other.expand_as(x).contiguous(), 1
    else:
        o, step = torch.tensor([other], dtype=x.dtype), 0
    y = torch.empty_like(x) if out is None else out
    n = x.numel()
    _axpy[(triton.cdiv(n, 1024),)](x, o, y, n, float(alpha), O_STEP=step, BLOCK=1024)
    return y
