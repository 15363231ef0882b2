# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: compile_error

The branch for a ragged tail names a variable that does not exist (`offsets`). The
4096 elements of the random cases would compile; the 3 of the first case do not.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _exp_sqrt_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr, RAGGED: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if RAGGED:
        mask = offsets < n
        x = tl.load(x_ptr + offs, mask=mask, other=0.0)
        tl.store(y_ptr + offs, tl.sqrt(tl.exp(x)), mask=mask)
    else:
        x = tl.load(x_ptr + offs, eviction_policy="evict_first")
        tl.store(y_ptr + offs, tl.sqrt(tl.exp(x)), cache_modifier=".cs")


def exp_sqrt(input, out=None):
    x = input.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    if n:
        _exp_sqrt_kernel[(triton.cdiv(n, 512),)](x, y, n, BLOCK=512, RAGGED=n % 512 != 0)
    if out is not None:
        out.copy_(y)
        return out
    return y
