# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: wrong_value

tl.dot with its default precision rounds float32 factors to TF32 on this card: about
1e-3 relative, a hundred times the tolerance at K = 128. The small integer cases are
exact and pass.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _mm(a_ptr, b_ptr, c_ptr, M, N, K,
        stride_ab, stride_am, stride_ak, stride_bb, stride_bk, stride_bn,
        stride_cb, stride_cm, stride_cn,
        BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    z = tl.program_id(2)
    a_ptrs = a_ptr + z * stride_ab + rm[:, None] * stride_am + rk[None, :] * stride_ak
    b_ptrs = b_ptr + z * stride_bb + rk[:, None] * stride_bk + rn[None, :] * stride_bn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs, mask=(rm[:, None] < M) & (rk[None, :] < K - k), other=0.0)
        b = tl.load(b_ptrs, mask=(rk[:, None] < K - k) & (rn[None, :] < N), other=0.0)
        acc += tl.dot(a, b)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    c_ptrs = c_ptr + z * stride_cb + rm[:, None] * stride_cm + rn[None, :] * stride_cn
    tl.store(c_ptrs, acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def matmul(tensor1, tensor2):
    a = tensor1[None, :] if tensor1.ndim == 1 else tensor1
    b = tensor2[:, None] if tensor2.ndim == 1 else tensor2
    M, K = a.shape[-2], a.shape[-1]
    N = b.shape[-1]
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a3 = a.expand(batch + (M, K)).reshape(-1, M, K)
    b3 = b.expand(batch + (K, N)).reshape(-1, K, N)
    c3 = torch.empty((a3.shape[0], M, N), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(M, 64), triton.cdiv(N, 32), a3.shape[0])
    _mm[grid](a3, b3, c3, M, N, K, *a3.stride(), *b3.stride(), *c3.stride(),
              BLOCK_M=64, BLOCK_N=32, BLOCK_K=32)
    c = c3.reshape(batch + (M, N))
    if tensor1.ndim == 1:
        c = c[..., 0, :]
    if tensor2.ndim == 1:
        c = c[..., 0]
    return c
