# SPDX-License-Identifier: Apache-2.0
"""The language as the compiler reads it: control flow, constants, functions, builtins."""

import contextlib
import io
import unittest

import numpy as np
import torch
import triton
import triton.language as tl
from support import emulated, install, only_emulated
from triton.language.extra import libdevice
from triton.runtime import _allocation
from triton.tools.tensor_descriptor import TensorDescriptor

FACTOR = tl.constexpr(3)


@triton.jit
def loops(out, n):
    total = 0
    for i in range(n):
        total += i.to(tl.int32)  # a counter is a tensor
    tl.store(out, total)
    total = 0.0
    for i in range(10, 0, -3):
        total += i
    tl.store(out + 1, total.to(tl.int32))
    count = 0
    for i in tl.static_range(1, 4):
        count += i * FACTOR
    tl.store(out + 2, count)
    steps = 0
    for i in tl.range(0, n, 2, num_stages=2):
        steps += 1
    tl.store(out + 3, steps)
    while steps < 10:
        steps += 4
    tl.store(out + 4, steps)


@triton.jit
def divide_as_c(out, n):
    x = -7
    y = 2
    tl.store(out, x // y)  # names hold tensors, which divide toward zero
    tl.store(out + 1, x % y)
    tl.store(out + 2, -7 // 2)  # constants divide as Python does
    tl.store(out + 3, n // 2)


@triton.jit
def logic(out, a, b, FLAG: tl.constexpr):
    tl.store(out, a > 0 and b > 0)
    tl.store(out + 1, a > 0 or b > 0)
    tl.store(out + 2, not a > 0)
    tl.store(out + 3, FLAG and a > 0)
    tl.store(out + 4, 1 if a > 0 else 2)
    tl.store(out + 5, FLAG is None)
    tl.store(out + 6, min(a, b) + max(1, 2))


@triton.jit
def square_or_none(x, wanted: tl.constexpr):
    result = None
    if wanted:
        result = x * x
    return result


@triton.jit
def two(x, y=4):
    return x + 1, x * y


@triton.jit
def early(x):
    if x > 5:
        return x * 100
    else:
        return x


@triton.jit
def apply(function: tl.constexpr, x):
    return function(x, True)


@triton.jit
def functions(out, x):
    first, second = two(x, y=5)
    tl.store(out, first)
    tl.store(out + 1, second)
    tl.store(out + 2, apply(square_or_none, x))
    nothing = square_or_none(x, False)
    if nothing is None:
        tl.store(out + 3, 1)
    tl.store(out + 4, early(x))
    tl.store(out + 5, early(x + 10))
    block = tl.arange(0, 4)
    tl.store(out + 6, block.sum(0) + tl.max(block, axis=0) + tl.cdiv(x, 2))


@triton.jit
def quiet(out, N: tl.constexpr):
    tl.static_assert(N == 4, "four")
    tl.static_print("compiling", N)
    tl.device_assert(N == 5, "ignored without debug")
    assert N == 5
    tl.debug_barrier()
    at = tl.multiple_of(tl.arange(0, N), N)
    at = tl.max_contiguous(at, [N])
    tl.assume(N > 0)
    tl.store(out + at, at)


@triton.jit
def prints(x):
    tl.device_print("value", tl.load(x + tl.arange(0, 2)))
    print("number", tl.program_id(0))


@triton.jit
def asserts(x):
    tl.device_assert(tl.load(x) > 0, "positive")


@triton.jit
def shapes(x, out):
    i = tl.arange(0, 8)
    a = tl.load(x + i)
    square = tl.reshape(a, (2, 4))
    tl.store(out + tl.arange(0, 4)[:, None] * 2 + tl.arange(0, 2)[None, :], square.T)
    joined = tl.join(a, a + 100)
    left, right = tl.split(joined)
    tl.store(out + 8 + i, left + right)
    tl.store(out + 16 + i, tl.flip(a, 0))
    tl.store(out + 24 + tl.arange(0, 16), tl.interleave(a, -a))
    tl.store(out + 40 + i, tl.gather(a, (i + 1) % 8, 0))
    tl.store(out + 48 + tl.arange(0, 16), tl.ravel(tl.broadcast_to(a[None, :], (2, 8))))
    tl.store(out + 64 + i, tl.expand_dims(a, 0).permute(1, 0).reshape(8))
    tl.store(out + 72 + i, tl.full((8,), 2.5, tl.float32) + tl.zeros_like(a))


@triton.jit
def sorting(x, out, counts):
    i = tl.arange(0, 16)
    values = tl.load(x + i)
    tl.store(out + i, tl.sort(values))
    tl.store(out + 16 + i, tl.sort(values, descending=True))
    tl.store(counts + tl.arange(0, 4), tl.histogram(i % 3, 4))
    tl.store(out + 32 + tl.arange(0, 4), tl.topk(values, 4))


@triton.jit
def mathematics(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(out + 0 * N + i, tl.exp(v))
    tl.store(out + 1 * N + i, tl.log(v))
    tl.store(out + 2 * N + i, tl.sqrt(v))
    tl.store(out + 3 * N + i, tl.rsqrt(v))
    tl.store(out + 4 * N + i, tl.sin(v))
    tl.store(out + 5 * N + i, tl.erf(v))
    tl.store(out + 6 * N + i, tl.sigmoid(v))
    tl.store(out + 7 * N + i, tl.abs(-v))
    tl.store(out + 8 * N + i, tl.floor(v))
    tl.store(out + 9 * N + i, tl.ceil(v))
    tl.store(out + 10 * N + i, tl.exp2(v))
    tl.store(out + 11 * N + i, tl.fma(v, v, v))
    tl.store(out + 12 * N + i, tl.softmax(v))
    tl.store(out + 13 * N + i, tl.clamp(v, 0.5, 1.0))
    tl.store(out + 14 * N + i, tl.math.fdiv(v, 3.0))
    tl.store(out + 15 * N + i, libdevice.tanh(v))
    tl.store(out + 16 * N + i, libdevice.pow(v, 2.5))
    tl.store(out + 17 * N + i, libdevice.lgamma(v))
    tl.store(out + 18 * N + i, libdevice.rint(v))
    tl.store(out + 19 * N + i, libdevice.atan2(v, 2.0))


@triton.jit
def random(seed, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.rand(seed, i))
    tl.store(out + N + i, tl.randn(seed, i))
    tl.store(out + 2 * N + i, tl.randint(seed, i).to(tl.float32))


@triton.jit
def atomics(ints, floats, halves, out):
    lane = tl.arange(0, 4)
    tl.atomic_add(ints + lane * 0, lane)
    tl.atomic_max(ints + 1, 9)
    tl.atomic_min(ints + 2, -9)
    tl.atomic_or(ints + 3, 4)
    tl.atomic_xchg(ints + 4, 6)
    tl.store(out, tl.atomic_cas(ints + 5, 0, 8))
    tl.store(out + 1, tl.atomic_cas(ints + 5, 0, 1))
    tl.atomic_add(floats + lane * 0, lane.to(tl.float32), mask=lane > 1)
    tl.atomic_add(halves + lane * 0, lane.to(halves.dtype.element_ty))


@triton.jit
def descriptors(given, source, out, M: tl.constexpr, N: tl.constexpr):
    made = tl.make_tensor_descriptor(source, shape=[M, N], strides=[N, 1], block_shape=[4, 8])
    made_out = tl.make_tensor_descriptor(out, shape=[M, N], strides=[N, 1], block_shape=[4, 8])
    made_out.store([0, 0], made.load([0, 0]) + given.load([4, 0]))


@triton.jit
def block_pointers(source, out, M, N):
    block = tl.make_block_ptr(source, (M, N), (N, 1), (0, 0), (4, 8), (1, 0))
    total = tl.zeros((4, 8), tl.float32)
    for _ in range(0, M, 4):
        total += tl.load(block, boundary_check=(0, 1), padding_option="zero")
        block = tl.advance(block, (4, 0))
    tl.store(tl.make_block_ptr(out, (4, 8), (8, 1), (0, 0), (4, 8), (1, 0)), total)


@triton.jit
def tuples(pair, out):
    tl.store(out, tl.load(pair[0]) + pair[1])
    values = (1, 2.5)
    tl.store(out + 1, values[0] + values[1])


def make_kernel(offset):

    @triton.jit
    def closed_over(out):
        tl.store(out, offset.value)

    return closed_over


class LanguageTest(unittest.TestCase):
    def setUp(self):
        self.watch = install()

    def ints(self, count):
        return torch.zeros(count, dtype=torch.int32, device="cuda")

    def test_loops(self):
        out = self.ints(5)
        loops[(1,)](out, 6)
        self.assertEqual([15, 22, 18, 3, 11], out.tolist())

    def test_names_hold_tensors_and_constants_stay_python(self):
        out = self.ints(4)
        divide_as_c[(1,)](out, -7)
        self.assertEqual([-3, -1, -4, -3], out.tolist())

    def test_logic(self):
        out = self.ints(7)
        logic[(1,)](out, 3, -2, True)
        self.assertEqual([0, 1, 0, 1, 1, 0, 0], out.tolist())
        logic[(1,)](out, -3, -2, False)
        self.assertEqual([0, 0, 1, 0, 2, 0, -1], out.tolist())

    def test_functions_and_none(self):
        out = self.ints(7)
        functions[(1,)](out, 3)
        self.assertEqual([4, 15, 9, 1, 3, 1300, 11], out.tolist())

    @only_emulated
    def test_statements_without_effect_on_a_card(self):
        out = self.ints(4)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            quiet[(2,)](out, 4)
        self.assertEqual([0, 1, 2, 3], out.tolist())
        self.assertEqual(1, printed.getvalue().count("compiling"))

    @only_emulated
    def test_device_print_and_assert(self):
        x = torch.tensor([1.5, -2.0], device="cuda")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            prints[(1,)](x)
        self.assertEqual(
            ["pid (0, 0, 0) idx (0) value: 1.5", "pid (0, 0, 0) idx (1) value: -2.0", "pid (0, 0, 0) idx () number: 0"],
            printed.getvalue().splitlines(),
        )
        asserts[(1,)](x[1:], debug=False)
        with self.assertRaisesRegex(RuntimeError, "CUDA error: device-side assert triggered"):
            asserts[(1,)](x[1:], debug=True)

    def test_shapes(self):
        x = torch.arange(8, dtype=torch.float32, device="cuda")
        out = torch.zeros(80, device="cuda")
        shapes[(1,)](x, out)
        a = np.arange(8, dtype=np.float32)
        expected = [
            a.reshape(2, 4).T.ravel(),
            2 * a + 100,
            a[::-1],
            np.stack([a, -a], -1).ravel(),
            np.roll(a, -1),
            np.tile(a, 2),
            a,
            np.full(8, 2.5),
        ]
        self.assertEqual(np.concatenate(expected).tolist(), out.tolist())

    def test_sorting(self):
        x = torch.randn(16, device="cuda")
        out, counts = torch.zeros(36, device="cuda"), self.ints(4)
        sorting[(1,)](x, out, counts)
        ordered = sorted(x.tolist())
        self.assertEqual(ordered + ordered[::-1] + ordered[:-5:-1], out.tolist())
        self.assertEqual([6, 5, 5, 0], counts.tolist())

    def test_mathematics(self):
        x = torch.rand(16, device="cuda") * 3 + 0.1
        out = torch.zeros(20, 16, device="cuda")
        mathematics[(1,)](x, out, 16)
        v = x.double().cpu()
        expected = [
            v.exp(),
            v.log(),
            v.sqrt(),
            v.rsqrt(),
            v.sin(),
            v.erf(),
            v.sigmoid(),
            v,
            v.floor(),
            v.ceil(),
            v.exp2(),
            v * v + v,
            v.softmax(0),
            v.clamp(0.5, 1.0),
            v / 3,
            v.tanh(),
            v**2.5,
            v.lgamma(),
            v.round(),
            torch.atan2(v, torch.tensor(2.0)),
        ]
        for row, (got, wanted) in enumerate(zip(out.cpu(), expected)):
            self.assertTrue(torch.allclose(got.double(), wanted, rtol=1e-5, atol=1e-6), f"row {row}")

    def test_random_numbers(self):
        out = torch.zeros(3 * 64, device="cuda")
        random[(1,)](123, out, 64)
        uniform, normal, integers = out.cpu().split(64)
        self.assertTrue(((0 <= uniform) & (uniform < 1)).all())
        self.assertEqual(64, len(set(uniform.tolist())))
        self.assertLess(abs(normal.mean().item()), 0.5)
        self.assertGreater(integers.abs().max().item(), 2**29)

    def test_atomics(self):
        for dtype in (torch.float16, torch.bfloat16):
            ints, out = self.ints(6), self.ints(2)
            floats, halves = torch.zeros(1, device="cuda"), torch.ones(1, device="cuda", dtype=dtype)
            atomics[(1,)](ints, floats, halves, out)
            self.assertEqual([6, 9, -9, 4, 6, 8], ints.tolist())
            self.assertEqual([0, 8], out.tolist())
            self.assertEqual((5.0, 7.0), (floats.item(), halves.item()))

    def test_descriptors(self):
        x = torch.arange(64, dtype=torch.float32, device="cuda").reshape(8, 8)
        out = torch.zeros(8, 8, device="cuda")
        arguments = TensorDescriptor(x, [8, 8], [8, 1], [4, 8]), x, out, 8, 8
        if isinstance(_allocation._allocator.get(), _allocation.NullAllocator):
            with self.assertRaisesRegex(RuntimeError, "no allocator was set"):
                descriptors[(1,)](*arguments)
        triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
        descriptors[(1,)](*arguments)
        self.assertTrue(torch.equal(x[:4] + x[4:], out[:4]))
        self.assertEqual(0, out[4:].count_nonzero().item())

    def test_block_pointers(self):
        x = torch.rand(10, 6, device="cuda")
        out = torch.zeros(4, 8, device="cuda")
        block_pointers[(1,)](x, out, 10, 6)
        padded = torch.zeros(12, 8)
        padded[:10, :6] = x.cpu()
        self.assertTrue(torch.allclose(padded.reshape(3, 4, 8).sum(0), out.cpu()))

    def test_tuples(self):
        out = torch.zeros(2, device="cuda")
        tuples[(1,)]((torch.full((1,), 2.0, device="cuda"), 5), out)
        self.assertEqual([7.0, 3.5], out.tolist())

    def test_closures(self):
        out = self.ints(1)
        make_kernel(tl.constexpr(7))[(1,)](out)
        self.assertEqual(7, out.item())
        make_kernel(tl.constexpr(8))[(1,)](out)
        self.assertEqual(8, out.item())

    @only_emulated
    def test_missing_internals_are_named(self):
        with self.assertRaisesRegex(
            ImportError, "triton 3.* has no triton.runtime.jit:Absent.*checked with triton 3.6.0"
        ):
            emulated.triton_internals._fetch("triton.runtime.jit:Absent")


if __name__ == "__main__":
    unittest.main()
