# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

Elementwise natural logarithm; a heuristic drops the mask when the block divides
the size. 0 gives -inf and negative numbers NaN by tl.log itself.
"""
import torch
import triton
import triton.language as tl


@triton.heuristics({
    "EVEN": lambda args: args["n"] % args["BLOCK"] == 0,
    "num_warps": lambda args: 8 if args["BLOCK"] >= 2048 else 4,
})
@triton.jit
def _log_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    base = tl.multiple_of(pid * BLOCK, BLOCK)
    offs = base + tl.max_contiguous(tl.arange(0, BLOCK), BLOCK)
    if EVEN:
        x = tl.load(x_ptr + offs)
    else:
        x = tl.load(x_ptr + offs, mask=offs < n, other=1.0)
    y = tl.log(x.to(tl.float32)).to(y_ptr.dtype.element_ty)
    if EVEN:
        tl.store(y_ptr + offs, y)
    else:
        tl.store(y_ptr + offs, y, mask=offs < n)


def log(input, out=None):
    x = input.contiguous()
    direct = out is not None and out.is_contiguous() and out.shape == x.shape and out.dtype == x.dtype
    y = out if direct else torch.empty_like(x)
    n = x.numel()
    if n:
        block = 2048 if n >= 1 << 16 else 1024
        grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
        _log_kernel[grid](x, y, n, BLOCK=block)
    if out is not None and not direct:
        out.copy_(y)
        return out
    return y
