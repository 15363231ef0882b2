# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: mutated_input

"Saves" memory: the kernel writes the quotient over its argument and the argument
itself is returned. The values are right, but the caller's tensor is gone.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _reciprocal_inplace(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK
    stride = tl.num_programs(0) * BLOCK
    while i < n:
        offs = i + tl.arange(0, BLOCK)
        mask = offs < n
        x = tl.load(x_ptr + offs, mask=mask, other=1.0)
        tl.store(x_ptr + offs, tl.div_rn(tl.full((BLOCK,), 1.0, tl.float32), x), mask=mask)
        i += stride


def reciprocal(input, out=None):
    n = input.numel()
    if n:
        _reciprocal_inplace[(min(triton.cdiv(n, 1024), 132),)](input, n, BLOCK=1024)
    if out is not None:
        out.copy_(input)
        return out
    return input
