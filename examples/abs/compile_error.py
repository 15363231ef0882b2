# SPDX-License-Identifier: Apache-2.0
"""Compile error: a block of 1000 elements, where Triton wants a power of two."""
import torch
import triton
import triton.language as tl


@triton.jit
def abs_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(y_ptr + offsets, tl.abs(x), mask=inside)


def abs(input_tensor, out=None):
    x = input_tensor.contiguous()
    y = torch.empty_like(x)
    if x.numel() > 0:
        abs_kernel[(triton.cdiv(x.numel(), 1000),)](x, y, x.numel(), BLOCK=1000)
    return y if out is None else out.copy_(y)
