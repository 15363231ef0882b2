# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

tl.rsqrt under an autotuner that picks block and warps by size. 0 gives inf and a
negative number NaN.
"""
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 256}, num_warps=2),
        triton.Config({"BLOCK": 1024}, num_warps=4),
        triton.Config({"BLOCK": 4096}, num_warps=8, num_stages=1),
    ],
    key=["n"],
)
@triton.jit
def _rsqrt_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=1.0)
    tl.store(y_ptr + offs, tl.rsqrt(x), mask=mask)


def rsqrt(input, out=None):
    x = input.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    if n:
        _rsqrt_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
    if out is not None:
        out.copy_(y)
        return out
    return y
