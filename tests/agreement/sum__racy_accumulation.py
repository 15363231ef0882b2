# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_value

Eight programs a row add their part of 8192 elements by load, add and store instead of
an atomic, and lose each other's contribution. Small cases have one program a row and
pass, as would any emulation that runs the programs one after another.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _accumulate(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(1)
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + offs, mask=offs < n, other=0)
    part = tl.sum(x.to(y_ptr.dtype.element_ty), axis=0)
    tl.store(y_ptr + row, tl.load(y_ptr + row) + part)


def sum(input, dim, keepdim=False, dtype=None):
    nd = input.dim()
    dims = [dim] if isinstance(dim, int) else list(dim)
    dims = [d % nd for d in dims]
    kept = [d for d in range(nd) if d not in dims]
    if dtype is None:
        dtype = input.dtype if input.is_floating_point() else torch.int64
    x = input.permute(kept + dims).contiguous()
    shape = [input.shape[d] for d in kept]
    y = torch.zeros(shape, dtype=dtype, device=x.device)
    rows = y.numel()
    n = x.numel() // rows
    _accumulate[(triton.cdiv(n, 1024), rows)](x, y, n, BLOCK=1024)
    if keepdim:
        y = y.reshape([1 if d in dims else s for d, s in enumerate(input.shape)])
    return y
