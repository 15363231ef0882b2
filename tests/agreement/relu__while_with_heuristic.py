# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

A persistent kernel walks its tiles in a while loop; a heuristic drops the mask
when the size is a whole number of tiles.  NaN is propagated on purpose and the
input is written only when inplace is asked for.
"""

import torch
import triton
import triton.language as tl


@triton.heuristics({"WHOLE": lambda args: args["n"] % args["TILE"] == 0})
@triton.jit
def _relu_kernel(x_ptr, y_ptr, n, TILE: tl.constexpr, WHOLE: tl.constexpr):
    lane = tl.arange(0, TILE)
    begin = tl.program_id(0) * TILE
    hop = tl.num_programs(0) * TILE
    while begin < n:
        at = begin + lane
        if WHOLE:
            x = tl.load(x_ptr + at)
            tl.store(y_ptr + at, tl.maximum(x, 0.0, propagate_nan=tl.PropagateNan.ALL))
        else:
            keep = at < n
            x = tl.load(x_ptr + at, mask=keep, other=0.0)
            tl.store(y_ptr + at, tl.maximum(x, 0.0, propagate_nan=tl.PropagateNan.ALL), mask=keep)
        begin += hop


def relu(input, inplace=False):
    dense = input.is_contiguous()
    x = input if dense else input.contiguous()
    y = x if inplace else torch.empty_like(x)
    n = x.numel()
    if n:
        TILE = 512
        programs = min(triton.cdiv(n, TILE), 64)
        _relu_kernel[(programs,)](x, y, n, TILE=TILE)
    if inplace and not dense:
        input.copy_(y)
    return input if inplace else y
