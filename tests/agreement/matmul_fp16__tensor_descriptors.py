# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

Tensor descriptors made on the device (TMA) with float32 accumulation in a pipelined
tl.range. Columns are padded to 16 bytes where a shape would not allow a descriptor.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _tma_matmul(a_ptr, b_ptr, c_ptr, M, N, K,
                BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    z = tl.program_id(2).to(tl.int64)
    a_desc = tl.make_tensor_descriptor(a_ptr + z * M * K, shape=[M, K], strides=[K, 1],
                                       block_shape=[BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr + z * K * N, shape=[K, N], strides=[N, 1],
                                       block_shape=[BK, BN])
    c_desc = tl.make_tensor_descriptor(c_ptr + z * M * N, shape=[M, N], strides=[N, 1],
                                       block_shape=[BM, BN])
    row = tl.program_id(0) * BM
    col = tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, K, BK, num_stages=3):
        a = a_desc.load([row, k])
        b = b_desc.load([k, col])
        acc = tl.dot(a, b, acc)
    c_desc.store([row, col], acc.to(tl.float16))


def _pad8(t, *, rows=False):
    right = -t.shape[-1] % 8
    bottom = -t.shape[-2] % 8 if rows else 0
    if right or bottom:
        t = torch.nn.functional.pad(t, (0, right, 0, bottom))
    return t.contiguous()


def matmul_fp16(input, other):
    a = input.unsqueeze(0) if input.dim() == 1 else input
    b = other.unsqueeze(1) if other.dim() == 1 else other
    M, K = a.shape[-2:]
    N = b.shape[-1]
    lead = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a3 = _pad8(a.expand(*lead, M, K).reshape(-1, M, K))
    b3 = _pad8(b.expand(*lead, K, N).reshape(-1, K, N), rows=True)
    Kp, Np = b3.shape[-2:]
    c = torch.empty((a3.shape[0], M, Np), dtype=torch.float16, device=a.device)

    def workspace(size, alignment, stream):
        return torch.empty(size, dtype=torch.int8, device=a3.device)

    triton.set_allocator(workspace)
    BM, BN, BK = 64, 64, 64
    grid = (triton.cdiv(M, BM), triton.cdiv(Np, BN), a3.shape[0])
    _tma_matmul[grid](a3, b3, c, M, Np, Kp, BM=BM, BN=BN, BK=BK, num_warps=4)
    c = c[..., :N].reshape(*lead, M, N)
    if input.dim() == 1:
        c = c.squeeze(-2)
    if other.dim() == 1:
        c = c.squeeze(-1)
    return c
