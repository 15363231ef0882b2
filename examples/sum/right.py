# SPDX-License-Identifier: Apache-2.0
"""Right: one program a row of the reduced view, summed in blocks."""
import math

import torch
import triton
import triton.language as tl


@triton.jit
def row_sum_kernel(x_ptr, y_ptr, length, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), dtype=y_ptr.dtype.element_ty)
    for start in range(0, length, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * length + offsets, mask=offsets < length, other=0).to(total.dtype)
    tl.store(y_ptr + row, tl.sum(total, axis=0))


def sum(input, dim, keepdim=False, dtype=None):
    if dim is None:
        dims = list(range(input.dim()))
    else:
        dims = [dim] if isinstance(dim, int) else list(dim)
    dims = sorted(d % input.dim() for d in dims) if input.dim() else []
    kept = [d for d in range(input.dim()) if d not in dims]
    rows = [input.shape[d] for d in kept]
    length = math.prod(input.shape[d] for d in dims)
    if dtype is None:
        dtype = input.dtype if input.dtype.is_floating_point else torch.int64
    x = input.permute(*kept, *dims).contiguous()
    y = torch.empty(rows, device=input.device, dtype=dtype)
    if y.numel() > 0:
        row_sum_kernel[(y.numel(),)](x, y, length, BLOCK=256)
    if keepdim:
        y = y.reshape([1 if d in dims else n for d, n in enumerate(input.shape)])
    return y
