# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_dtype

Values are right, but the sign flags are written as 0 and 1 into a uint8 tensor
and returned that way instead of as bool.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def cos_and_flag(x_ptr, cos_ptr, flag_ptr, n: "i32", BLOCK: tl.constexpr):
    tl.static_assert(BLOCK % 128 == 0)
    idx = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = idx < n
    value = tl.math.cos(tl.load(x_ptr + idx, mask=valid, other=0.0))
    bits = value.to(tl.int32, bitcast=True)
    tl.store(cos_ptr + idx, value, mask=valid)
    tl.store(flag_ptr + idx, (bits < 0).to(tl.uint8), mask=valid)


def fused_cos_signbit(input):
    x = input.contiguous()
    cosine = torch.empty_like(x)
    flag = torch.empty(x.shape, device=x.device, dtype=torch.uint8)
    cos_and_flag[(triton.cdiv(x.numel(), 512),)](x, cosine, flag, x.numel(), BLOCK=512)
    return cosine, flag
