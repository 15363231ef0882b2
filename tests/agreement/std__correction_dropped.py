# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_value

Two stages in one kernel: partial (count, mean, M2), and the program that takes the last
ticket of an atomic counter merges them. The divisor is always n - 1, so correction=0
(cases 4 and 8) is wrong.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _std_kernel(x_ptr, y_ptr, part_ptr, ticket_ptr, n, CHUNKS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    chunk = tl.program_id(1)
    offs = chunk * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + row * n + offs, mask=mask, other=0.0)
    cnt = tl.sum(mask.to(tl.float32), axis=0)
    mean = tl.sum(x, axis=0) / cnt
    d = tl.where(mask, x - mean, 0.0)
    m2 = tl.sum(d * d, axis=0)
    base = part_ptr + (row * CHUNKS + chunk) * 3
    tl.store(base, cnt)
    tl.store(base + 1, mean)
    tl.store(base + 2, m2)
    taken = tl.atomic_add(ticket_ptr + row, 1, sem="acq_rel", scope="gpu")
    if taken == CHUNKS - 1:
        c = tl.arange(0, CHUNKS)
        parts = part_ptr + (row * CHUNKS + c) * 3
        cnts = tl.load(parts, cache_modifier=".cg")
        means = tl.load(parts + 1, cache_modifier=".cg")
        m2s = tl.load(parts + 2, cache_modifier=".cg")
        total = tl.sum(cnts, axis=0)
        grand = tl.sum(tl.where(cnts > 0.0, means * cnts, 0.0), axis=0) / total
        dev = tl.where(cnts > 0.0, means - grand, 0.0)
        ssq = tl.sum(tl.where(cnts > 0.0, m2s, 0.0) + cnts * dev * dev, axis=0)
        tl.store(y_ptr + row, tl.sqrt(ssq / (n - 1)))


def std(input, dim=None, correction=1, keepdim=False, out=None):
    nd = input.dim()
    if dim is None or dim == ():
        dims = list(range(nd))
    elif isinstance(dim, int):
        dims = [dim % nd]
    else:
        dims = [d % nd for d in dim]
    kept = [d for d in range(nd) if d not in dims]
    x = input.permute(kept + dims).contiguous()
    outer = [input.shape[d] for d in kept]
    rows = 1
    for s in outer:
        rows *= s
    n = x.numel() // rows
    y = torch.empty(rows, dtype=x.dtype, device=x.device)
    block = 1024
    chunks = triton.next_power_of_2(triton.cdiv(n, block))
    parts = torch.empty((rows, chunks, 3), dtype=torch.float32, device=x.device)
    tickets = torch.zeros(rows, dtype=torch.int32, device=x.device)
    _std_kernel[(rows, chunks)](x, y, parts, tickets, n, CHUNKS=chunks, BLOCK=block)
    shape = [1 if d in dims else input.shape[d] for d in range(nd)] if keepdim else outer
    y = y.reshape(shape)
    if out is not None:
        out.copy_(y)
        return out
    return y
