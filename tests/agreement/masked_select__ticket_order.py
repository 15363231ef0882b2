# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_value

Each tile takes its place in the output with one atomic add on a shared cursor,
so tiles land in the order in which they happen to arrive.  The small cases are
one tile; with 8192 elements in 128 tiles the order is up to the scheduler (a
sequential emulation would see the right answer).
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _compact(x_ptr, m_ptr, out_ptr, cursor_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    picked = tl.load(m_ptr + offs, mask=offs < n, other=0).to(tl.int32)
    local = tl.cumsum(picked, 0) - picked
    total = tl.sum(picked, 0)
    base = tl.atomic_add(cursor_ptr, total, sem="relaxed")
    vals = tl.load(x_ptr + offs, mask=picked > 0, other=0.0)
    tl.store(out_ptr + base + local, vals, mask=picked > 0)


def masked_select(input, mask):
    x, m = torch.broadcast_tensors(input, mask)
    x, m = x.contiguous(), m.contiguous()
    n = x.numel()
    scratch = torch.empty(n, dtype=x.dtype, device=x.device)
    cursor = torch.zeros(1, dtype=torch.int32, device=x.device)
    _compact[(triton.cdiv(n, 64),)](x, m, scratch, cursor, n, BLOCK=64, num_warps=1)
    return scratch[: cursor.item()].clone()
