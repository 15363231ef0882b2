# SPDX-License-Identifier: Apache-2.0
"""Products, convolutions, decompositions, resampling and quantised layers with NumPy and SciPy."""

import itertools
import math

import numpy as np

# Sums of many terms in another order, or solutions through another factorisation: some 1e-13 times the condition.
TOLERANCES = {"solve": 1e-8, "cholesky_solve": 1e-8, "tensordot_rsqrt": 1e-8}


def _into(out, result):
    if out is not None:
        out[...] = result
    return result


def _linear(input, weight, bias):
    return np.einsum("...k,ok->...o", input, weight) + (0 if bias is None else bias)


def fused_tanh_linear(input, weight, bias=None):
    return np.tanh(_linear(input, weight, bias))


def fused_elu_linear(input, weight, bias=None, alpha=1.0, inplace=False):
    z = _linear(input, weight, bias)
    return np.where(z > 0, z, alpha * np.expm1(np.minimum(z, 0)))


def addmm(input, mat1, mat2, beta=1, alpha=1, out=None):
    product = alpha * np.einsum("mk,kn->mn", mat1, mat2)
    return _into(out, product if beta == 0 else product + beta * input)


def matmul(tensor1, tensor2):
    return np.matmul(tensor1, tensor2)


def matmul_fp16(input, other):
    return np.matmul(input, other)


def matrix_vector_dot(A, x, y, alpha, beta):
    y[...] = alpha * (A * x).sum(axis=1) + (beta * y if beta else 0)
    return (y * x).sum()


def tensordot_rsqrt(a, b, dims):
    if isinstance(dims, int):
        dims = (list(range(a.ndim - dims, a.ndim)), list(range(dims)))
    with np.errstate(all="ignore"):
        return 1 / np.sqrt(np.tensordot(a, b, axes=([int(d) for d in dims[0]], [int(d) for d in dims[1]])))


# --- convolution and pooling, by the definition ---


def _pair(value):
    return tuple(value) * (2 // len(value)) if isinstance(value, (tuple, list)) else (value, value)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    stride, dilation = _pair(stride), _pair(dilation)
    x = input[None] if input.ndim == 3 else input
    extent = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:])]
    if padding == "same":  # the odd one behind
        before = [e // 2 for e in extent]
        sides = [(b, e - b) for b, e in zip(before, extent)]
    else:
        sides = [(0, 0)] * 2 if padding == "valid" else [(p, p) for p in _pair(padding)]
    x = np.pad(x, [(0, 0), (0, 0), *sides])
    high, wide = ((n - e - 1) // s + 1 for n, e, s in zip(x.shape[2:], extent, stride))
    result = np.zeros((x.shape[0], weight.shape[0], high, wide))
    inside, outside = x.shape[1] // groups, weight.shape[0] // groups
    for o, (i, j) in itertools.product(range(weight.shape[0]), itertools.product(*map(range, weight.shape[2:]))):
        first = o // outside * inside
        top, left = i * dilation[0], j * dilation[1]
        window = x[:, first : first + inside, top : top + (high - 1) * stride[0] + 1 : stride[0], left:][
            ..., : (wide - 1) * stride[1] + 1 : stride[1]
        ]
        result[:, o] += np.einsum("nchw,c->nhw", window, weight[o, :, i, j])
    result = result if bias is None else result + bias[:, None, None]
    return result[0] if input.ndim == 3 else result


def fused_relu_conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, inplace=False):
    return np.maximum(conv2d(input, weight, bias, stride, padding, dilation, groups), 0)


def avg_pool1d(input, kernel_size, stride=None, padding=0):
    size, step, side = (int(np.ravel(v)[0]) for v in (kernel_size, stride if stride is not None else kernel_size, padding))
    x = np.pad(input, [(0, 0)] * (input.ndim - 1) + [(side, side)])
    return np.stack([x[..., i : i + size].sum(axis=-1) / size for i in range(0, x.shape[-1] - size + 1, step)], axis=-1)


# --- resampling ---


def _position(g, size, align_corners, padding_mode):
    x = (g + 1) / 2 * (size - 1) if align_corners else ((g + 1) * size - 1) / 2
    if padding_mode == "reflection":
        low, high = (0.0, size - 1.0) if align_corners else (-0.5, size - 0.5)
        span = high - low
        turn = np.mod(x - low, 2 * span) if span else np.zeros_like(x)
        x = low + np.where(turn > span, 2 * span - turn, turn)
    return x if padding_mode == "zeros" else np.clip(x, 0, size - 1)


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=False):
    sizes = input.shape[2:]
    at = [_position(grid[..., len(sizes) - 1 - d], n, align_corners, padding_mode) for d, n in enumerate(sizes)]
    result = np.zeros(input.shape[:2] + grid.shape[1:-1])
    for n in range(input.shape[0]):
        corners = [(0,)] * len(sizes) if mode == "nearest" else [(0, 1)] * len(sizes)
        for corner in itertools.product(*corners):
            weight, index, inside = 1.0, [], True
            for x, step, size in zip(at, corner, sizes):
                cell = np.round(x[n]) if mode == "nearest" else np.floor(x[n]) + step
                weight = weight if mode == "nearest" else weight * (1 - np.abs(x[n] - cell))
                inside = inside & (cell >= 0) & (cell < size)
                index.append(np.clip(cell, 0, size - 1).astype(int))
            result[n] += np.where(inside, weight, 0) * input[n][(slice(None), *index)]
    return result


def _matrix(size, wanted, ratio, mode, align_corners):
    """The weights of every source row in every wanted one."""
    weights = np.zeros((wanted, size))
    for i in range(wanted):
        if mode == "nearest":
            weights[i, min(int(math.floor(i * ratio + 1e-9)), size - 1)] = 1
            continue
        x = (i * (size - 1) / (wanted - 1) if wanted > 1 else 0.0) if align_corners else (i + 0.5) * ratio - 0.5
        x = max(x, 0.0) if mode == "bilinear" else x
        first = math.floor(x)
        for j in (first, first + 1) if mode == "bilinear" else range(first - 1, first + 3):
            t, a = abs(x - j), -0.75
            if mode == "bilinear":
                w = 1 - t
            else:
                w = (a + 2) * t**3 - (a + 3) * t**2 + 1 if t <= 1 else a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0
            weights[i, min(max(j, 0), size - 1)] += w
    return weights


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    matrices = []
    for d, n in enumerate(input.shape[2:]):
        if size is not None:
            wanted = size[d] if isinstance(size, (tuple, list)) else size
            ratio = n / wanted
        else:
            factor = scale_factor[d] if isinstance(scale_factor, (tuple, list)) else scale_factor
            wanted, ratio = math.floor(n * factor), 1 / factor
        matrices.append(_matrix(n, wanted, ratio, mode, align_corners))
    return np.einsum("ih,jw,nchw->ncij", *matrices, input)


# --- transforms and decompositions ---


def fftn(input, s=None, dim=None, norm=None, out=None):
    dims = tuple(range(-len(s), 0)) if dim is None and s is not None else range(input.ndim) if dim is None else dim
    y, points = np.asarray(input, dtype=complex), 1
    for i, d in enumerate(dims):
        length = y.shape[d] if s is None else s[i]
        kept = np.moveaxis(y, d, -1)[..., :length]
        k = np.arange(length)
        wave = np.exp(-2j * math.pi * (np.outer(k, k) % length) / length)
        y = np.moveaxis(np.einsum("...n,nk->...k", kept, wave[: kept.shape[-1]]), -1, d)
        points *= length
    factor = {None: 1, "backward": 1, "ortho": 1 / math.sqrt(points), "forward": 1 / points}[norm]
    return _into(out, y * factor)


def _eliminated(A, B):
    """X of A X = B and the determinant of A, by elimination with partial pivoting."""
    A, B, det = A.copy(), B.copy(), 1.0
    n = A.shape[0]
    for k in range(n):
        pivot = k + int(np.argmax(np.abs(A[k:, k])))
        if pivot != k:
            A[[k, pivot]], B[[k, pivot]], det = A[[pivot, k]], B[[pivot, k]], -det
        det *= A[k, k]
        if A[k, k] == 0:
            return None, 0.0
        below = A[k + 1 :, k] / A[k, k]
        A[k + 1 :] -= np.outer(below, A[k])
        B[k + 1 :] -= np.outer(below, B[k])
    X = np.zeros_like(B)
    for k in reversed(range(n)):
        X[k] = (B[k] - A[k, k + 1 :] @ X[k + 1 :]) / A[k, k]
    return X, det


def check_det(results, A):
    """Relative to Hadamard's bound, since a singular matrix's determinant is rounding."""
    assert results.shape == A.shape[:-2], f"shape {results.shape}"
    for got, a in zip(results.ravel(), A.reshape(math.prod(A.shape[:-2]), *A.shape[-2:])):
        wanted = _eliminated(a, np.zeros((len(a), 0)))[1]
        assert abs(got - wanted) <= 1e-11 * np.prod(np.linalg.norm(a, axis=1)), f"{got}, not {wanted}"


def solve(A, B):
    b = B[:, None] if B.ndim == 1 else B
    flat = zip(A.reshape(-1, *A.shape[-2:]), b.reshape(math.prod(A.shape[:-2]), *b.shape[-2:]))
    return np.array([_eliminated(x, y)[0] for x, y in flat]).reshape(B.shape)


def cholesky_solve(B, L, upper=False, out=None):
    factor = np.triu(L) if upper else np.swapaxes(np.tril(L), -1, -2)
    return _into(out, solve(np.swapaxes(factor, -1, -2) @ factor, B))


def _close(a, b, scale, what):
    worst = np.max(np.abs(a - b), initial=0)
    assert worst <= 1e-12 * max(float(scale), 1e-300), f"{what}: off by {worst}, scale {scale}"


def check_lu(results, A, pivot=True, out=None):
    P, L, U = results
    k = min(A.shape[-2:])
    assert np.all(np.triu(L, 1) == 0) and np.all(np.tril(U, -1) == 0), "not triangular"
    assert np.all(np.diagonal(L, axis1=-2, axis2=-1) == 1), "the diagonal of L is not one"
    assert L.shape[-1] == k and U.shape[-2] == k, "not k columns and rows"
    if pivot:
        assert np.all((P == 0) | (P == 1)) and np.all(P.sum(axis=-1) == 1) and np.all(P.sum(axis=-2) == 1), "not a permutation"
        assert np.all(np.abs(L) <= 1), "a multiplier above one"
    else:
        assert P.shape == (0,), "P is not empty"
    product = L @ U
    _close(P @ product if pivot else product, A, 100 * np.max(np.abs(L) @ np.abs(U), initial=0), "P L U")


def check_svd(results, A, full_matrices=True):
    U, S, Vh = results
    k, scale = min(A.shape[-2:]), 100 * max(A.shape[-2:]) * np.max(np.abs(A), initial=0)
    for name, Q in (("U", U), ("V", np.swapaxes(Vh, -1, -2))):
        _close(np.swapaxes(Q, -1, -2) @ Q, np.broadcast_to(np.eye(Q.shape[-1]), Q.shape[:-2] + (Q.shape[-1],) * 2), 100, name)
    assert np.all(S >= 0) and np.all(np.diff(S, axis=-1) <= 0), "not decreasing"
    _close((U[..., :k] * S[..., None, :]) @ Vh[..., :k, :], A, scale, "U S V")
    assert U.shape[-1] == (A.shape[-2] if full_matrices else k), "the width of U"


def check_eig(results, A):
    w, V = results
    _close(np.linalg.norm(V, axis=-2), np.ones(w.shape), 100, "length of the vectors")
    _close(A @ V, V * w[..., None, :], 1000 * max(1, A.shape[-1]) * np.max(np.abs(A), initial=0), "A V = V w")
    _close(w.sum(axis=-1), np.trace(A, axis1=-2, axis2=-1), 1000 * A.shape[-1] * np.max(np.abs(A), initial=0), "trace")
    assert np.all(np.linalg.cond(V) < 1e8), "dependent vectors"


# --- quantised layers: one row or column at a time ---


def _codes(row, limit):
    largest = np.max(np.abs(row), initial=0)
    return (np.zeros_like(row), 0.0) if largest == 0 else (np.rint(row / (largest / limit)), largest / limit)


def check_matmul_w8a8(results, input, weight):
    columns = [_codes(c, 127) for c in weight.T]
    rows = [_codes(r, 127) for r in input]
    wanted = np.array([[sx * sw * (qx @ qw) for qw, sw in columns] for qx, sx in rows]).reshape(results.shape)
    off = np.max(np.abs(results - wanted), initial=0)  # a code at a tie may differ: one column's step
    steps = max((s * np.max(np.abs(input), initial=0) for _, s in columns), default=0) + max((s for _, s in rows), default=0)
    assert off <= 1e-5 * np.max(np.abs(wanted), initial=0) + 1e-3 * steps, f"off by {off}"


def check_linear_w4a16(results, input, weight, bias=None):
    wanted = np.zeros(input.shape[:-1] + (weight.shape[0],))
    for o, row in enumerate(weight):
        codes, scale = _codes(row, 7)
        wanted[..., o] = input @ (codes * scale) + (0 if bias is None else bias[o])
    off = np.max(np.abs(results - wanted), initial=0)
    assert off <= 2e-3 * np.max(np.abs(wanted), initial=0), f"off by {off}"
