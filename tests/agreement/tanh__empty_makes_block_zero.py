# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: compile_error

The block is next_power_of_2 of an even share of the work, which is 0 for the
empty tensor; tl.arange(0, 0) is refused while compiling.  Every other case is
right (the grid is fixed, so it is never zero).
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _tanh_loop(src, dst, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    for start in range(pid * BLOCK, n, tl.num_programs(0) * BLOCK):
        idx = start + lanes
        live = idx < n
        x = tl.load(src + idx, mask=live, other=0.0)
        e = tl.exp2(-2.8853900817779268 * tl.abs(x))
        m = tl.fdiv(1.0 - e, 1.0 + e)
        tl.store(dst + idx, tl.where(x < 0, -m, m), mask=live)


def tanh(input_tensor, out_tensor=None):
    src = input_tensor.contiguous()
    dst = torch.empty_like(src) if out_tensor is None else out_tensor
    n = src.numel()
    workers = 132
    BLOCK = min(2048, triton.next_power_of_2(triton.cdiv(n, workers)))
    _tanh_loop[(workers,)](src, dst, n, BLOCK=BLOCK)
    return dst
