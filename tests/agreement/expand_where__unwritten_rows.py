# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_value

The output comes from torch.empty_like(other) as if that copied `other`, and
only the rows whose condition holds are stored.  The remaining rows show
whatever the allocation held before.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _overlay(x_ptr, cond_ptr, y_ptr, rows, cols, sx0, sx1, sc0, sc1, sy0, sy1,
             BR: tl.constexpr, BC: tl.constexpr):
    r0 = tl.program_id(0) * BR
    c0 = tl.program_id(1) * BC
    # expanded axes have stride zero, which a block pointer accepts
    src = tl.make_block_ptr(x_ptr, (rows, cols), (sx0, sx1), (r0, c0), (BR, BC), (1, 0))
    val = tl.load(src, boundary_check=(0, 1), padding_option="zero")
    r = r0 + tl.arange(0, BR)[:, None]
    c = c0 + tl.arange(0, BC)[None, :]
    inside = (r < rows) & (c < cols)
    on = tl.load(cond_ptr + r * sc0 + c * sc1, mask=inside, other=0) != 0
    tl.store(y_ptr + r * sy0 + c * sy1, val, mask=inside & on)


def expand_where(input, target_sizes, cond, other):
    x = input.expand(target_sizes)
    c = cond.expand(target_sizes)
    y = torch.empty_like(other)
    rows, cols = y.shape
    _overlay[(triton.cdiv(rows, 8), triton.cdiv(cols, 128))](
        x, c, y, rows, cols, *x.stride(), *c.stride(), *y.stride(), BR=8, BC=128
    )
    return y
