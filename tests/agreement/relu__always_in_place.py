# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: mutated_input

The output is made with reshape(-1), which is a view of the input and not a
copy, so the caller's tensor is overwritten although inplace is False.  The
returned values themselves are right.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _clamp_below(buf, total, BLOCK: tl.constexpr):
    offs = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK).to(tl.int64)
    inside = offs < total
    v = tl.load(buf + offs, mask=inside, other=0.0)
    tl.store(buf + offs, tl.where(v > 0, v, 0.0), mask=inside)


def relu(input, inplace=False):
    if inplace:
        work = input
    else:
        work = input.reshape(-1)
    total = work.numel()
    _clamp_below[(triton.cdiv(total, 256),)](work, total, BLOCK=256, num_warps=2)
    return work.reshape(input.shape) if not inplace else input
