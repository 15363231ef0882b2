# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

A five-term rational approximation of erf (absolute error about 1.5e-7) as a
Horner chain unrolled over a constexpr tuple; odd symmetry by the sign.
"""

import torch
import triton
import triton.language as tl

_COEF: tl.constexpr = tl.constexpr((1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592))


@triton.jit
def _erf_kernel(x_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    a = tl.abs(x)
    t = 1.0 / (1.0 + 0.3275911 * a)
    p = tl.zeros_like(x)
    for k in tl.static_range(5):
        p = p * t + _COEF[k]
    r = 1.0 - p * t * tl.exp(-a * a)
    tl.store(y_ptr + i, tl.where(x < 0, -r, r), mask=i < n)


def erf(input_tensor):
    x = input_tensor.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    if n:
        _erf_kernel[(triton.cdiv(n, 512),)](x, y, n, B=512)
    return y
