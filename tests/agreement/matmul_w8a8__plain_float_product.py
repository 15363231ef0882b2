# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: not_quantised (refused)

A float32 product under a quantised name: it is closer to the reference than any int8
pipeline can be, but nothing is ever rounded to int8. A judge that only measures
distance would let it pass.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _float_matmul(x_ptr, w_ptr, y_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        x = tl.load(x_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        w = tl.load(w_ptr + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc += tl.dot(x, w, input_precision="tf32x3")
    tl.store(y_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


def matmul_w8a8(input, weight):
    x = input.contiguous()
    w = weight.contiguous()
    M, K = x.shape
    N = w.shape[1]
    y = torch.empty((M, N), dtype=torch.float32, device=x.device)
    _float_matmul[(triton.cdiv(M, 32), triton.cdiv(N, 32))](x, w, y, M, N, K, BM=32, BN=32, BK=32)
    return y
