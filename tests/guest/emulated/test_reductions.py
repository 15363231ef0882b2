# SPDX-License-Identifier: Apache-2.0
"""Reductions, scans and mapped scalar functions, with Triton's combine functions and with a submission's own."""

import unittest

import torch
import triton
import triton.language as tl
from support import install


@triton.jit
def all_axes(x, rows, columns, whole, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    v = tl.load(x + m[:, None] * N + n[None, :])
    tl.store(rows + m, tl.sum(v, axis=1))
    tl.store(columns + n, tl.max(v, axis=0))
    tl.store(rows + M + m, tl.argmin(v, axis=1))
    tl.store(columns + N + n, tl.sum(v, axis=-2, keep_dims=True).reshape(N))
    tl.store(whole, tl.sum(v))
    tl.store(whole + 1, tl.min(v))
    best, where = tl.max(v, axis=1, return_indices=True)
    tl.store(rows + 2 * M + m, best + where)


@triton.jit
def welford(mean_a, m2_a, count_a, mean_b, m2_b, count_b):
    count = count_a + count_b
    delta = mean_b - mean_a
    return mean_a + delta * count_b / count, m2_a + m2_b + delta * delta * count_a * count_b / count, count


@triton.jit
def variance(x, out, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    mean, m2, count = tl.reduce((v, tl.zeros_like(v), tl.full((N,), 1.0, tl.float32)), 0, welford)
    tl.store(out, mean)
    tl.store(out + 1, m2 / count)


@triton.jit
def larger_magnitude(a, b):
    if tl.abs(a) > tl.abs(b):
        result = a
    else:
        result = b
    return result


@triton.jit
def branching(x, out, N: tl.constexpr):
    tl.store(out, tl.reduce(tl.load(x + tl.arange(0, N)), 0, larger_magnitude))


@triton.jit
def affine(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def scans(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(out + i, tl.cumsum(v, 0))
    tl.store(out + N + i, tl.cumsum(v, 0, reverse=True))
    tl.store(out + 2 * N + i, tl.cumprod(v, 0))
    _, state = tl.associative_scan((v, v + 1), 0, affine)
    tl.store(out + 3 * N + i, state)
    square = tl.reshape(v, (4, N // 4))
    tl.store(out + 4 * N + i, tl.ravel(tl.cumsum(square, 1)))


@triton.jit
def pick(x, y):
    if x > y:
        return x - y
    else:
        return y * 2


@triton.jit
def mapped(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.map_elementwise(pick, tl.load(x + i), tl.load(y + i)))


@triton.jit
def small_types(x, out, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    tl.store(out, tl.sum(v))
    tl.store(out + 1, tl.xor_sum(v))
    tl.store(out + 2, tl.max(v))


@triton.jit
def sum_bfloat16(x, out, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    tl.store(out, tl.sum(v))
    tl.store(out + 1, tl.max(v))


class ReductionsTest(unittest.TestCase):
    def setUp(self):
        install()

    def assert_close(self, expected, got):
        self.assertTrue(torch.allclose(expected.float(), got.float().cpu(), rtol=1e-5, atol=1e-5), (expected, got))

    def test_axes(self):
        x = torch.randn(8, 16, device="cuda")
        rows, columns, whole = (torch.zeros(n, device="cuda") for n in (24, 32, 2))
        all_axes[(1,)](x, rows, columns, whole, 8, 16)
        v = x.cpu()
        best, where = v.max(1)
        self.assert_close(torch.cat([v.sum(1), v.argmin(1).float(), best + where]), rows)
        self.assert_close(torch.cat([v.max(0).values, v.sum(0)]), columns)
        self.assert_close(torch.stack([v.sum(), v.min()]), whole)

    def test_own_combine_functions(self):
        x = torch.randn(64, device="cuda")
        out = torch.zeros(2, device="cuda")
        variance[(1,)](x, out, 64)
        self.assert_close(torch.stack([x.mean(), x.var(correction=0)]).cpu(), out)
        branching[(1,)](x, out, 64)
        self.assertEqual(x[x.abs().argmax()].item(), out[0].item())

    def test_scans(self):
        x = torch.rand(16, device="cuda") + 0.5
        out = torch.zeros(5, 16, device="cuda")
        scans[(1,)](x, out, 16)
        v, states = x.cpu(), []
        for value in v:
            states.append((states[-1] if states else 0) * value + value + 1)
        self.assert_close(v.cumsum(0), out[0])
        self.assert_close(v.flip(0).cumsum(0).flip(0), out[1])
        self.assert_close(v.cumprod(0), out[2])
        self.assertTrue(torch.allclose(torch.stack(states), out[3].cpu(), rtol=1e-4))
        self.assert_close(v.reshape(4, 4).cumsum(1).ravel(), out[4])

    def test_mapped_functions_with_branches(self):
        x, y, out = torch.randn(16, device="cuda"), torch.randn(16, device="cuda"), torch.zeros(16, device="cuda")
        mapped[(1,)](x, y, out, 16)
        self.assertTrue(torch.equal(torch.where(x > y, x - y, y * 2), out))

    def test_small_types(self):
        x = torch.tensor([100, 100, 100, -7], dtype=torch.int8, device="cuda")
        out = torch.zeros(3, dtype=torch.int32, device="cuda")
        small_types[(1,)](x, out, 4)
        self.assertEqual([293, 100 ^ -7, 100], out.tolist())
        x = torch.tensor([2**31 - 1, 1], dtype=torch.int32, device="cuda")
        small_types[(1,)](x, out, 2)
        self.assertEqual([-(2**31), (2**31 - 1) ^ 1, 2**31 - 1], out.tolist())

    def test_bfloat16_rounds_in_every_step(self):
        x = torch.tensor([256.0] + [1.0] * 7, dtype=torch.bfloat16, device="cuda")
        out = torch.zeros(2, dtype=torch.bfloat16, device="cuda")
        sum_bfloat16[(1,)](x, out, 8)
        # 256+1 is 256 again; pairs i, i+4, then i, i+2, then i, i+1 give 256, 2, 2, 2; 258, 4; 262.
        self.assertEqual([262.0, 256.0], out.tolist())


if __name__ == "__main__":
    unittest.main()
