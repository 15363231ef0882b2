# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_value

Prefix sums by tl.cumsum and two tl.gather a window. The divisor is the number of real
elements, as count_include_pad=False would have it; the task counts the padding, so
the ends of case 3 differ.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _pool_row(x_ptr, y_ptr, L, LO, k, stride, pad, PL: tl.constexpr, PO: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, PL)
    x = tl.load(x_ptr + row * L + i - 1, mask=(i > 0) & (i <= L), other=0.0)
    prefix = tl.cumsum(x, axis=0)
    o = tl.arange(0, PO)
    lo = o * stride - pad
    hi = tl.minimum(tl.maximum(lo + k, 0), L)
    lo = tl.minimum(tl.maximum(lo, 0), L)
    total = tl.gather(prefix, hi, 0) - tl.gather(prefix, lo, 0)
    tl.store(y_ptr + row * LO + o, total / (hi - lo).to(tl.float32), mask=o < LO)


def avg_pool1d(input, kernel_size, stride=None, padding=0):
    first = lambda v: v[0] if isinstance(v, (tuple, list)) else v
    k = first(kernel_size)
    s = k if stride is None or stride == () else first(stride)
    pad = first(padding)
    x = input.contiguous()
    L = x.shape[-1]
    LO = (L + 2 * pad - k) // s + 1
    y = torch.empty((*x.shape[:-1], LO), dtype=x.dtype, device=x.device)
    rows = x.numel() // L
    _pool_row[(rows,)](x, y, L, LO, k, s, pad, PL=triton.next_power_of_2(L + 1), PO=triton.next_power_of_2(LO),
                       num_warps=1)
    return y
