# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_value

The kernel has a tanh branch, but the wrapper compares `approximate` with the
boolean True and so always runs the erf form; the calls with
approximate='tanh' are off by more than 1e-5 (about 4e-4 at worst).
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _activation(x_ptr, y_ptr, n_rows, n_cols, stride_row,
                USE_TANH: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.program_id(1) * COLS + tl.arange(0, COLS)
    where = rows[:, None] * stride_row + cols[None, :]
    ok = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    x = tl.load(x_ptr + where, mask=ok)
    if USE_TANH:
        inner = 0.7978845608028654 * x * (1.0 + 0.044715 * x * x)
        y = x * tl.sigmoid(2.0 * inner)
    else:
        y = x * (0.5 + 0.5 * tl.erf(x * 0.70710678118654752))
    tl.store(y_ptr + where, y, mask=ok)


def gelu(input, approximate="none"):
    x = input.contiguous()
    y = torch.empty_like(x)
    n_cols = x.shape[-1] if x.dim() else 1
    n_rows = x.numel() // max(n_cols, 1)
    ROWS, COLS = 4, 256
    grid = (triton.cdiv(n_rows, ROWS), triton.cdiv(n_cols, COLS))
    _activation[grid](x, y, n_rows, n_cols, n_cols,
                      USE_TANH=(approximate is True), ROWS=ROWS, COLS=COLS, num_warps=4)
    return y
