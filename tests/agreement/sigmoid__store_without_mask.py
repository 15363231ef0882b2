# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: out_of_bounds_write

The load is masked, the store is not: with 3, 4 or 9 elements the program writes
1024 floats, the rest of them the sigmoid of the padding (0.5) past the end of
the output.  The values inside are right, and sizes that fill whole blocks pass.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _sigmoid_kernel(x_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    block_start = tl.program_id(axis=0) * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.sigmoid(x)
    tl.store(y_ptr + offsets, y)


def sigmoid(input, out=None):
    x = input.contiguous()
    y = torch.empty_like(x) if out is None else out
    n_elements = x.numel()
    _sigmoid_kernel[(triton.cdiv(n_elements, 1024),)](x, y, n_elements, BLOCK_SIZE=1024)
    return y
