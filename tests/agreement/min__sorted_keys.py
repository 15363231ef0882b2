# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

float32 values become order-preserving integers with the index in the low half of a
64-bit key; tl.sort brings the least to lane 0, so ties go to the first index and NaN is
least. Other types use tl.min with indices.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _key(x, index):
    bits = tl.where(x == 0.0, 0.0, x).to(tl.int32, bitcast=True)
    ordered = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    ordered = tl.where(x != x, -2147483648, ordered)
    return (ordered.to(tl.int64) << 32) | index.to(tl.int64)


@triton.jit
def _min_by_sort(x_ptr, v_ptr, i_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    best = tl.full((), 9223372036854775807, tl.int64)
    for start in range(0, n, BLOCK):
        index = start + lane
        mask = index < n
        x = tl.load(x_ptr + row * n + index, mask=mask, other=0.0)
        keys = tl.where(mask, _key(x, index), 9223372036854775807)
        least = tl.sort(keys, dim=0, descending=False)
        head = tl.sum(tl.where(lane == 0, least, 0), axis=0)
        best = tl.minimum(best, head)
    where = best & 0x7FFFFFFF
    tl.store(i_ptr + row, where)
    tl.store(v_ptr + row, tl.load(x_ptr + row * n + where))


@triton.jit
def _min_direct(x_ptr, v_ptr, i_ptr, n, HIGH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    best = tl.load(x_ptr + row * n)
    where = tl.full((), 0, tl.int32)
    for start in range(0, n, BLOCK):
        x = tl.load(x_ptr + row * n + start + lane, mask=start + lane < n, other=HIGH)
        v, i = tl.min(x, axis=0, return_indices=True)
        less = v < best
        where = tl.where(less, start + i, where)
        best = tl.where(less, v, best)
    tl.store(v_ptr + row, best)
    tl.store(i_ptr + row, where.to(tl.int64))


def min(input_tensor, dim, keepdim=False):
    x = input_tensor.movedim(dim, -1).contiguous()
    n = x.shape[-1]
    values = torch.empty(x.shape[:-1], dtype=x.dtype, device=x.device)
    indices = torch.empty(x.shape[:-1], dtype=torch.int64, device=x.device)
    rows = values.numel()
    block = triton.next_power_of_2(n)
    block = block if block < 256 else 256
    if rows and x.dtype == torch.float32:
        _min_by_sort[(rows,)](x, values, indices, n, BLOCK=block, num_warps=2)
    elif rows:
        high = float("inf") if x.is_floating_point() else torch.iinfo(x.dtype).max
        _min_direct[(rows,)](x, values, indices, n, HIGH=high, BLOCK=block)
    if keepdim:
        values, indices = values.unsqueeze(dim), indices.unsqueeze(dim)
    return values, indices
