# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

Online softmax: (maximum, scaled sum) pairs go through tl.reduce with an own combine
function, chunk after chunk; the dimension is moved last and a float64 result is
computed in float64.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _merge(m1, s1, m2, s2):
    m = tl.maximum(m1, m2)
    w1 = tl.where(m1 == m, 1.0, tl.exp(m1 - m))
    w2 = tl.where(m2 == m, 1.0, tl.exp(m2 - m))
    return m, s1 * w1 + s2 * w2


@triton.jit
def _softmax_rows(x_ptr, y_ptr, cols, ACC: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * cols
    y_ptr += row * cols
    lane = tl.arange(0, BLOCK)
    m = tl.full((), float("-inf"), ACC)
    s = tl.full((), 0.0, ACC)
    for start in tl.range(0, cols, BLOCK, num_stages=2):
        mask = start + lane < cols
        x = tl.load(x_ptr + start + lane, mask=mask, other=float("-inf")).to(ACC)
        ones = tl.where(mask, 1.0, 0.0).to(ACC)
        cm, cs = tl.reduce((x, ones), 0, _merge)
        m, s = _merge(m, s, cm, cs)
    for start in tl.range(0, cols, BLOCK):
        mask = start + lane < cols
        x = tl.load(x_ptr + start + lane, mask=mask, other=float("-inf")).to(ACC)
        tl.store(y_ptr + start + lane, (tl.exp(x - m) / s).to(y_ptr.dtype.element_ty), mask=mask)


def softmax(input, dim, dtype=None):
    result_dtype = dtype if dtype is not None else input.dtype
    if input.dim() == 0:
        return torch.ones_like(input, dtype=result_dtype)
    x = input.movedim(dim, -1).contiguous()
    y = torch.empty(x.shape, dtype=result_dtype, device=x.device)
    cols = x.shape[-1]
    if x.numel():
        wide = result_dtype == torch.float64 or x.dtype == torch.float64
        block = min(1024, max(16, triton.next_power_of_2(cols)))
        _softmax_rows[(x.numel() // cols,)](
            x, y, cols, ACC=tl.float64 if wide else tl.float32, BLOCK=block, num_warps=4)
    return y.movedim(-1, dim).contiguous()
