# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: out_of_bounds_write

The load is masked but the store of the last block is not, so every input whose
size is no multiple of 1024 writes past the end of the result (3 elements in the
first case). The values inside the result are right.
"""
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _log1p_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    y = libdevice.log1p(x)
    tl.store(y_ptr + offs, y)


def log1p(input, out=None):
    x = input.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    if n > 0:
        _log1p_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    if out is not None:
        out.copy_(y)
        return out
    return y
