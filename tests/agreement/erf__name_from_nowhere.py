# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: compile_error

The kernel's parameter is called BLOCK but its body says BLOCK_SIZE, which is
defined nowhere; Triton reports a NameError while compiling, at the first call.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def erf_kernel(src, dst, n, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    idx = pid * BLOCK_SIZE + tl.arange(0, BLOCK)  # noqa: F821
    keep = idx < n
    tl.store(dst + idx, tl.erf(tl.load(src + idx, mask=keep, other=0.0)), mask=keep)


def erf(input_tensor):
    src = input_tensor.contiguous()
    dst = torch.empty_like(src)
    n = src.numel()
    erf_kernel[(triton.cdiv(n, 1024),)](src, dst, n, BLOCK=1024)
    return dst
