# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: runtime_error

The kernel (clearing the sign bit as an integer) is right, but it is launched
with num_warps=6 and Triton's CUDA options assert a power of two, so the first
call dies with an AssertionError.  A judge that counts all of Triton's
compilation may call it compile_error.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _clear_sign(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bits = tl.load(x_ptr + i, mask=i < n, other=0.0).to(tl.int32, bitcast=True)
    tl.store(y_ptr + i, (bits & 0x7FFFFFFF).to(tl.float32, bitcast=True), mask=i < n)


def abs(input_tensor, out=None):
    x = input_tensor.contiguous()
    y = torch.empty_like(x) if out is None else out
    n = x.numel()
    _clear_sign[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024, num_warps=6)
    return y
