# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: runtime_error

The result is allocated without a device, so a host tensor reaches the kernel and triton
refuses the pointer. The arithmetic (float64 powers) is right.
"""
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _powers(y_ptr, start, end, base, steps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    t = i.to(tl.float64) / tl.maximum(steps - 1, 1).to(tl.float64)
    e = start.to(tl.float64) + t * (end - start).to(tl.float64)
    b = tl.zeros((BLOCK,), tl.float64) + base
    tl.store(y_ptr + i, libdevice.pow(b, e).to(y_ptr.dtype.element_ty), mask=i < steps)


def logspace(start, end, steps, base=10.0, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    dtype = dtype or torch.get_default_dtype()
    result = torch.empty(steps, dtype=dtype)
    if steps > 0:
        _powers[(triton.cdiv(steps, 256),)](result, float(start), float(end), float(base), steps, BLOCK=256)
    result = result.to(device or "cuda")
    return result.requires_grad_(requires_grad)
