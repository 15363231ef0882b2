# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

libdevice's tanh over a flat view.  For the empty tensor the grid has zero
programs, which Triton's launcher treats as nothing to do.
"""

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _tanh_kernel(a, b, numel, CHUNK: tl.constexpr, PER: tl.constexpr):
    base = tl.program_id(0) * (CHUNK * PER)
    for k in tl.static_range(PER):
        i = base + k * CHUNK + tl.arange(0, CHUNK)
        inside = i < numel
        tl.store(b + i, libdevice.tanh(tl.load(a + i, mask=inside, other=0.0)), mask=inside)


def tanh(input_tensor, out_tensor=None):
    a = input_tensor.contiguous()
    b = torch.empty_like(a)
    CHUNK, PER = 256, 4
    _tanh_kernel[(triton.cdiv(a.numel(), CHUNK * PER),)](a, b, a.numel(), CHUNK, PER, num_warps=2)
    if out_tensor is not None:
        out_tensor.resize_(a.shape).copy_(b)
        return out_tensor
    return b
