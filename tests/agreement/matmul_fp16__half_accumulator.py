# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_value

The accumulator is float16: partial sums of some 30 are rounded to 0.015 dozens of
times at K = 1024 (case 4), well outside 5e-3; near zero K = 128 fails too.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _half_mm(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    batch = tl.program_id(2)
    m = pid_m * BM + tl.arange(0, BM)
    n = pid_n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_ptr += batch * M * K
    b_ptr += batch * K * N
    c_ptr += batch * M * N
    acc = tl.zeros((BM, BN), dtype=tl.float16)
    for k0 in range(0, K, BK):
        kk = k0 + k
        a = tl.load(a_ptr + m[:, None] * K + kk[None, :], mask=(m[:, None] < M) & (kk[None, :] < K), other=0.0)
        b = tl.load(b_ptr + kk[:, None] * N + n[None, :], mask=(kk[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc, out_dtype=tl.float16)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


def matmul_fp16(input, other):
    vector = input.dim() == 1
    a = (input[None, :] if vector else input).contiguous()
    b = other.contiguous()
    M, K = a.shape[-2:]
    N = b.shape[-1]
    batch = a.shape[0] if a.dim() == 3 else 1
    c = torch.empty((*a.shape[:-1], N), dtype=torch.float16, device=a.device)
    grid = (triton.cdiv(M, 64), triton.cdiv(N, 64), batch)
    _half_mm[grid](a, b, c, M, N, K, BM=64, BN=64, BK=32, num_warps=4, num_stages=3)
    return c[0] if vector else c
