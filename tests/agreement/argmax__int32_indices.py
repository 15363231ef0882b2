# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_dtype

The indices are right but come back as int32, the type tl.argmax computes in; the task
returns int64.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _row_argmax(x_ptr, y_ptr, n, FILL: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    if FILL is None:
        x = tl.load(x_ptr + row * n + offs, mask=offs < n, other=-float("inf"))
    else:
        x = tl.load(x_ptr + row * n + offs, mask=offs < n, other=FILL)
    tl.store(y_ptr + row, tl.argmax(x, axis=0, tie_break_left=True))


def argmax(input_tensor, dim, keepdim=False):
    x = torch.movedim(input_tensor, dim, -1).contiguous()
    n = x.shape[-1]
    y = torch.empty(x.shape[:-1], dtype=torch.int32, device=x.device)
    fill = None if x.is_floating_point() else torch.iinfo(x.dtype).min
    _row_argmax[(y.numel(),)](x, y, n, FILL=fill, BLOCK=triton.next_power_of_2(n))
    return y.unsqueeze(dim) if keepdim else y
