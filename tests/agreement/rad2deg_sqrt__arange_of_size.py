# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: compile_error

The block is the exact size of small inputs. Sizes 4 and 1 compile, but case 3 has
3 elements and tl.arange refuses a range that is no power of two.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _rad2deg_sqrt(x_ptr, deg_ptr, root_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(deg_ptr + offs, x * 57.29577951308232, mask=mask)
    tl.store(root_ptr + offs, tl.sqrt_rn(x), mask=mask)


def rad2deg_sqrt(input):
    x = input.contiguous()
    deg = torch.empty_like(x)
    root = torch.empty_like(x)
    n = x.numel()
    if n == 0:
        return deg, root
    block = min(n, 512)
    _rad2deg_sqrt[(triton.cdiv(n, block),)](x, deg, root, n, BLOCK=block)
    return deg, root
