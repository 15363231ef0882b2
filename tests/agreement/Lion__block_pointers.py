# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

One-dimensional block pointers moved by tl.advance, several blocks a program; the sign
comes from two comparisons and both tensors are updated in place.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _sign(u):
    return tl.where(u > 0.0, 1.0, tl.where(u < 0.0, -1.0, 0.0))


@triton.jit
def _lion(p_ptr, g_ptr, m_ptr, n, lr, beta1, beta2, wd, BLOCK: tl.constexpr, ROUNDS: tl.constexpr):
    first = tl.program_id(0) * (BLOCK * ROUNDS)
    p_blk = tl.make_block_ptr(p_ptr, (n,), (1,), (first,), (BLOCK,), (0,))
    g_blk = tl.make_block_ptr(g_ptr, (n,), (1,), (first,), (BLOCK,), (0,))
    m_blk = tl.make_block_ptr(m_ptr, (n,), (1,), (first,), (BLOCK,), (0,))
    for _ in tl.static_range(ROUNDS):
        p = tl.load(p_blk, boundary_check=(0,))
        g = tl.load(g_blk, boundary_check=(0,))
        m = tl.load(m_blk, boundary_check=(0,))
        u = beta1 * m + (1.0 - beta1) * g
        p = p * (1.0 - lr * wd) - lr * _sign(u)
        m = beta2 * m + (1.0 - beta2) * g
        tl.store(p_blk, p, boundary_check=(0,))
        tl.store(m_blk, m, boundary_check=(0,))
        p_blk = tl.advance(p_blk, (BLOCK,))
        g_blk = tl.advance(g_blk, (BLOCK,))
        m_blk = tl.advance(m_blk, (BLOCK,))


def lion_step(param, grad, exp_avg, lr=0.0001, beta1=0.9, beta2=0.99, weight_decay=0.0):
    p = param.contiguous()
    m = exp_avg.contiguous()
    n = p.numel()
    if n:
        block, rounds = 64, 2
        _lion[(triton.cdiv(n, block * rounds),)](p, grad.contiguous(), m, n, float(lr), float(beta1), float(beta2),
                                                 float(weight_decay), BLOCK=block, ROUNDS=rounds, num_warps=2)
    if p is not param:
        param.copy_(p)
    if m is not exp_avg:
        exp_avg.copy_(m)
    return param, exp_avg
