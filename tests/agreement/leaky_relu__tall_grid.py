# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: runtime_error

The tiles are numbered along the second grid axis, which CUDA limits to 65535.
A million elements in tiles of 16 are 65536 programs, so the launch is refused
with 'invalid argument'; the small cases pass.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _leak(x, slope):
    return tl.where(x >= 0, x, x * slope)


@triton.jit
def _leaky_kernel(src, dst, n, slope, BLOCK: tl.constexpr):
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tl.store(dst + i, _leak(tl.load(src + i, mask=i < n, other=0.0), slope), mask=i < n)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    src = input.contiguous()
    dst = src if inplace else torch.empty_like(src)
    n = src.numel()
    _leaky_kernel[(1, triton.cdiv(n, 16))](src, dst, n, float(negative_slope), BLOCK=16, num_warps=1)
    if inplace:
        if dst.data_ptr() != input.data_ptr():
            input.copy_(dst)
        return input
    return dst
