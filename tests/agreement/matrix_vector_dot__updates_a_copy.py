# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_value

The dot product is right (partial sums by one atomic a program), but the new y goes to
a fresh buffer: the caller's y, which the function has to update, keeps its old values.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _gemv_dot(a_ptr, x_ptr, y_ptr, ynew_ptr, dot_ptr, n, m, sa0, sa1, alpha, beta,
              ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    row_mask = rows < n
    acc = tl.zeros((ROWS, COLS), dtype=tl.float32)
    for c0 in range(0, m, COLS):
        cols = c0 + tl.arange(0, COLS)
        a = tl.load(a_ptr + rows[:, None] * sa0 + cols[None, :] * sa1,
                    mask=row_mask[:, None] & (cols < m)[None, :], other=0.0)
        x = tl.load(x_ptr + cols, mask=cols < m, other=0.0)
        acc += a * x[None, :]
    y = alpha * tl.sum(acc, axis=1)
    if beta != 0.0:
        y += beta * tl.load(y_ptr + rows, mask=row_mask, other=0.0)
    tl.store(ynew_ptr + rows, y, mask=row_mask)
    xr = tl.load(x_ptr + rows, mask=row_mask, other=0.0)
    tl.atomic_add(dot_ptr, tl.sum(tl.where(row_mask, y * xr, 0.0), axis=0))


def matrix_vector_dot(A, x, y, alpha, beta):
    n, m = A.shape
    x = x.contiguous()
    y_new = torch.empty_like(y)
    result = torch.zeros((), dtype=torch.float32, device=A.device)
    _gemv_dot[(triton.cdiv(n, 16),)](
        A, x, y.contiguous(), y_new, result, n, m, A.stride(0), A.stride(1),
        float(alpha), float(beta), ROWS=16, COLS=64)
    y = y_new
    return result.to(A.dtype)
