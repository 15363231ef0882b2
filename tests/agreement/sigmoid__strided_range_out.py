# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

A grid-stride loop written with tl.range, two-sided sigmoid that cannot
overflow, and an `out` argument that is filled and returned.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _stable_sigmoid(x):
    e = tl.exp(-tl.abs(x))
    top = tl.where(x >= 0, 1.0, e)
    return top / (1.0 + e)


@triton.jit
def _sigmoid_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    n_tiles = tl.cdiv(n, BLOCK)
    for tile in tl.range(tl.program_id(0), n_tiles, tl.num_programs(0), num_stages=STAGES):
        i = tile * BLOCK + tl.arange(0, BLOCK)
        i = tl.max_contiguous(tl.multiple_of(i, BLOCK), BLOCK)
        x = tl.load(x_ptr + i, mask=i < n, other=0.0, eviction_policy="evict_first")
        tl.store(y_ptr + i, _stable_sigmoid(x), mask=i < n, cache_modifier=".cs")


def sigmoid(input, out=None):
    x = input.contiguous()
    direct = out is not None and out.is_contiguous() and out.shape == x.shape and out.dtype == x.dtype
    y = out if direct else torch.empty_like(x)
    n = x.numel()
    if n:
        BLOCK = 1024
        grid = (min(triton.cdiv(n, BLOCK), 264),)
        _sigmoid_kernel[grid](x, y, n, BLOCK=BLOCK, STAGES=3, num_warps=4)
    if out is None:
        return y
    if not direct:
        out.copy_(y)
    return out
