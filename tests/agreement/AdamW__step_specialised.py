# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: compile_error

The kernel converts its integer argument `step` by .to(tl.float32). Triton turns an
argument that equals 1 into a constant, which has no .to, so cases 1 and 2 do not
compile; step 100 would. Triton's interpreter does not specialise and would pass.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _adamw(p_ptr, g_ptr, m_ptr, v_ptr, n, step, lr, beta1, beta2, eps, wd, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    p = tl.load(p_ptr + offs, mask=mask)
    g = tl.load(g_ptr + offs, mask=mask)
    m = tl.load(m_ptr + offs, mask=mask)
    v = tl.load(v_ptr + offs, mask=mask)
    t = step.to(tl.float32)
    c1 = 1.0 - tl.exp2(t * tl.log2(beta1))
    c2 = 1.0 - tl.exp2(t * tl.log2(beta2))
    p = p * (1.0 - lr * wd)
    m = beta1 * m + (1.0 - beta1) * g
    v = beta2 * v + (1.0 - beta2) * g * g
    p = p - (lr / c1) * m / (tl.sqrt(v) / tl.sqrt(c2) + eps)
    tl.store(p_ptr + offs, p, mask=mask)
    tl.store(m_ptr + offs, m, mask=mask)
    tl.store(v_ptr + offs, v, mask=mask)


def adamw_step(param, grad, exp_avg, exp_avg_sq, step, lr=0.001, beta1=0.9, beta2=0.999, eps=1e-08, weight_decay=0.01):
    n = param.numel()
    _adamw[(triton.cdiv(n, 128),)](param, grad.contiguous(), exp_avg, exp_avg_sq, n, int(step),
                                   lr, beta1, beta2, eps, weight_decay, BLOCK=128)
    return param, exp_avg, exp_avg_sq
