# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: compile_error

The erf branch widens to float32, the tanh branch forgets to and hands float16
to tl.exp, which accepts float32 and float64 only.  The branches are constexpr,
so the first calls compile and run; the first call with approximate='tanh' is
the one that is refused.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _kernel(x_ptr, y_ptr, n, TANH: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    x = tl.load(x_ptr + i, mask=m, other=0.0)
    if TANH:
        z = x * 1.5957691216057308
        z = z + x * x * x * 0.0713548162726
        y = x / (tl.exp(-z) + 1.0)
    else:
        w = x.to(tl.float32)
        y = w * 0.5 * (1.0 + tl.erf(w * 0.7071067811865475))
    tl.store(y_ptr + i, y.to(y_ptr.dtype.element_ty), mask=m)


def gelu_fp16(input, approximate="none"):
    x = input.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    _kernel[(triton.cdiv(n, 512),)](x, y, n, TANH=(approximate == "tanh"), BLOCK=512)
    return y
