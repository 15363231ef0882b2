# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

Rows of the activations and columns of the weights are quantised to int8 (column maxima
by tl.atomic_max), multiplied by an int8 tl.dot with int32 accumulation and scaled back.
An honest pipeline: whether it passes depends on bounds that leave room for int8.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _round_int8(x):
    q = tl.floor(tl.abs(x) + 0.5)
    q = tl.where(x < 0.0, -q, q)
    return tl.clamp(q, -127.0, 127.0).to(tl.int8)


@triton.jit
def _quantise_rows(x_ptr, q_ptr, s_ptr, K, sxm, sxk, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    amax = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, K, BLOCK):
        k = start + tl.arange(0, BLOCK)
        amax = tl.maximum(amax, tl.abs(tl.load(x_ptr + row * sxm + k * sxk, mask=k < K, other=0.0)))
    top = tl.max(amax, axis=0)
    scale = tl.where(top > 0.0, top / 127.0, 1.0)
    tl.store(s_ptr + row, scale)
    for start in range(0, K, BLOCK):
        k = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * sxm + k * sxk, mask=k < K, other=0.0)
        tl.store(q_ptr + row * K + k, _round_int8(x / scale), mask=k < K)


@triton.jit
def _column_maxima(w_ptr, m_ptr, K, N, swk, swn, BK: tl.constexpr, BN: tl.constexpr):
    k = tl.program_id(0) * BK + tl.arange(0, BK)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    w = tl.load(w_ptr + k[:, None] * swk + n[None, :] * swn,
                mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
    tl.atomic_max(m_ptr + n, tl.max(tl.abs(w), axis=0), mask=n < N)


@triton.jit
def _quantise_columns(w_ptr, q_ptr, m_ptr, K, N, swk, swn, BK: tl.constexpr, BN: tl.constexpr):
    k = tl.program_id(0) * BK + tl.arange(0, BK)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    mask = (k[:, None] < K) & (n[None, :] < N)
    top = tl.load(m_ptr + n, mask=n < N, other=0.0)
    scale = tl.where(top > 0.0, top / 127.0, 1.0)
    w = tl.load(w_ptr + k[:, None] * swk + n[None, :] * swn, mask=mask, other=0.0)
    q = _round_int8(w / scale[None, :])
    tl.store(q_ptr + n[:, None] * K + k[None, :], tl.trans(q), mask=(n[:, None] < N) & (k[None, :] < K))


@triton.jit
def _int8_matmul(a_ptr, b_ptr, y_ptr, sa_ptr, m_ptr, M, N, K,
                 BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    kk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for k0 in range(0, K, BK):
        k = k0 + kk
        a = tl.load(a_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0)
        b = tl.load(b_ptr + n[:, None] * K + k[None, :], mask=(n[:, None] < N) & (k[None, :] < K), other=0)
        acc = tl.dot(a, tl.trans(b), acc, out_dtype=tl.int32)
    sa = tl.load(sa_ptr + m, mask=m < M, other=0.0)
    top = tl.load(m_ptr + n, mask=n < N, other=0.0)
    sb = tl.where(top > 0.0, top / 127.0, 1.0)
    y = acc.to(tl.float32) * sa[:, None] * sb[None, :]
    tl.store(y_ptr + m[:, None] * N + n[None, :], y, mask=(m[:, None] < M) & (n[None, :] < N))


def matmul_w8a8(input, weight):
    K, N = weight.shape
    x = input.reshape(-1, K)
    M = x.shape[0]
    device = x.device
    qx = torch.empty((M, K), dtype=torch.int8, device=device)
    sx = torch.empty(M, dtype=torch.float32, device=device)
    qw = torch.empty((N, K), dtype=torch.int8, device=device)
    top = torch.zeros(N, dtype=torch.float32, device=device)
    y = torch.empty((M, N), dtype=torch.float32, device=device)
    _quantise_rows[(M,)](x, qx, sx, K, x.stride(0), x.stride(1), BLOCK=256)
    tiles = (triton.cdiv(K, 32), triton.cdiv(N, 32))
    _column_maxima[tiles](weight, top, K, N, weight.stride(0), weight.stride(1), BK=32, BN=32)
    _quantise_columns[tiles](weight, qw, top, K, N, weight.stride(0), weight.stride(1), BK=32, BN=32)
    _int8_matmul[(triton.cdiv(M, 32), triton.cdiv(N, 64))](qx, qw, y, sx, top, M, N, K,
                                                           BM=32, BN=64, BK=64, num_warps=4)
    return y.reshape(*input.shape[:-1], N)
