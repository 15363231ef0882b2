# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

The root is taken by inline PTX (sqrt.rn.f32), the exponential by tl.exp. The empty
input launches a grid of zero programs, which the launcher skips.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _root(x):
    return tl.inline_asm_elementwise(
        asm="sqrt.rn.f32 $0, $1;",
        constraints="=f,f",
        args=[x],
        dtype=tl.float32,
        is_pure=True,
        pack=1,
    )


@triton.jit
def _sqrt_exp_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + offs, tl.exp(_root(x)), mask=mask)


def sqrt_exp(input, out=None):
    x = input.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    _sqrt_exp_kernel[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256, num_warps=2)
    if out is None:
        return y
    out.copy_(y)
    return out
