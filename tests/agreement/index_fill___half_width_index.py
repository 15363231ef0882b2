# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_value

The int64 index is read through an int32 pointer, so entry k is the k-th 32-bit
word: the low half of an index or a zero.  A single index comes out right; for
[0, 2] row 0 is filled twice and row 2 never.  No access leaves the tensors.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _fill_lines(x_ptr, index_ptr, value, n_index, stride_dim, n_other, stride_other,
                BI: tl.constexpr, BO: tl.constexpr):
    words = index_ptr.to(tl.pointer_type(tl.int32))
    k = tl.program_id(0) * BI + tl.arange(0, BI)
    j = tl.program_id(1) * BO + tl.arange(0, BO)
    line = tl.load(words + k, mask=k < n_index, other=0)
    dest = x_ptr + line[:, None] * stride_dim + j[None, :] * stride_other
    tl.store(dest, tl.zeros((BI, BO), tl.float32) + value,
             mask=(k < n_index)[:, None] & (j < n_other)[None, :])


def index_fill_(dim, x, index, value):
    assert x.dim() == 2
    dim = dim % 2
    n_other = x.shape[1 - dim]
    BI, BO = 8, 64
    grid = (triton.cdiv(index.numel(), BI), triton.cdiv(n_other, BO))
    _fill_lines[grid](x, index, float(value), index.numel(), x.stride(dim),
                      n_other, x.stride(1 - dim), BI=BI, BO=BO)
    return x
