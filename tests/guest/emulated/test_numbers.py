# SPDX-License-Identifier: Apache-2.0
"""Arithmetic as the card does it. Every list of expected numbers that is not computed here was read from an H200 with
Triton 3.6."""

import unittest

import numpy as np
import torch
import triton
import triton.language as tl
from support import emulated, install, only_emulated

NAN, INF = float("nan"), float("inf")


@triton.jit
def divide(a, b, quotient, rest, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(a + i), tl.load(b + i)
    tl.store(quotient + i, x // y)
    tl.store(rest + i, x % y)


@triton.jit
def convert(source, target, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(target + i, tl.load(source + i).to(target.dtype.element_ty))


@triton.jit
def extremes(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(a + i), tl.load(b + i)
    tl.store(out + i, tl.maximum(x, y))
    tl.store(out + N + i, tl.minimum(x, y))
    tl.store(out + 2 * N + i, tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out + 3 * N + i, tl.clamp(x, 0.5, y))


@triton.jit
def reduced(x, out, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    tl.store(out, tl.max(v))
    tl.store(out + 1, tl.min(v))
    tl.store(out + 2, tl.argmax(v, 0))
    tl.store(out + 3, tl.argmin(v, 0))
    tl.store(out + 4, tl.sum(v))


@triton.jit
def shifts(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(out + i, v << i * 8)
    tl.store(out + N + i, v >> i * 8)
    tl.store(out + 2 * N + i, v * v)


@triton.jit
def polynomial(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(out + i, v + v * v - 0.3)


@triton.jit
def dot(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr):
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    left, right = tl.load(a + m * K + k[None, :]), tl.load(b + k[:, None] * N + n)
    tl.store(out + m * N + n, tl.dot(left, right, input_precision=PRECISION))


@triton.jit
def high_product(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.umulhi(tl.load(a + i), tl.load(b + i)))


def on_card(values, dtype):
    return torch.tensor(values, dtype=dtype, device="cuda")


class NumbersTest(unittest.TestCase):
    def setUp(self):
        install()

    def test_integer_division_by_zero(self):
        for dtype, quotients, rests in (
            (torch.int32, [-1, -1, -1, 14, -3], [7, -7, 0, 2, -1]),
            (torch.int64, [4294967295, -1, 4294967295, 14, -3], [7, -7, 0, 2, -1]),
            (torch.int8, [-1, -1, -1, 14, -3], [7, -7, 0, 2, -1]),
            (torch.int16, [-1, -1, -1, 14, -3], [7, -7, 0, 2, -1]),
        ):
            a, b = on_card([7, -7, 0, 100, -7], dtype), on_card([0, 0, 0, 7, 2], dtype)
            a, b = (torch.nn.functional.pad(t, (0, 3), value=1) for t in (a, b))
            quotient, rest = torch.empty_like(a), torch.empty_like(a)
            divide[(1,)](a, b, quotient, rest, 8)
            self.assertEqual((quotients, rests), (quotient[:5].tolist(), rest[:5].tolist()), dtype)
        a, zero = on_card([7, 9], torch.uint8), on_card([0, 0], torch.uint8)
        quotient, rest = torch.empty_like(a), torch.empty_like(a)
        divide[(1,)](a, zero, quotient, rest, 2)
        self.assertEqual(([255, 255], [7, 9]), (quotient.tolist(), rest.tolist()))

    def test_floats_to_integers(self):
        source = on_card([NAN, INF, -INF, 3e9, -3e9, 300.7, -300.7, 1e20], torch.float32)
        low32, high32, low64, high64 = -(2**31), 2**31 - 1, -(2**63), 2**63 - 1
        for dtype, expected in (
            (torch.int32, [0, high32, low32, high32, low32, 300, -300, high32]),
            (torch.int64, [low64, high64, low64, 3000000000, -3000000000, 300, -300, high64]),
            (torch.uint8, [0, 255, 0, 255, 0, 44, 0, 255]),
            (torch.int8, [0, -1, 0, -1, 0, 44, -44, -1]),
            (torch.int16, [0, 32767, -32768, 32767, -32768, 300, -300, 32767]),
            (torch.uint32, [0, 4294967295, 0, 3000000000, 0, 300, 0, 4294967295]),
        ):
            target = torch.zeros(8, dtype=dtype, device="cuda")
            convert[(1,)](source, target, 8)
            self.assertEqual(expected, target.tolist(), dtype)
        for dtype, of_nan in ((torch.int32, low32), (torch.int16, -32768), (torch.uint32, 2**31), (torch.uint8, 0)):
            target = torch.zeros(8, dtype=dtype, device="cuda")
            convert[(1,)](source.double(), target, 8)
            self.assertEqual(of_nan, target[0].item(), dtype)

    def test_conversions_between_floats_round_as_torch_does(self):
        values = torch.cat(
            [
                torch.randn(1000) * 10 ** (torch.rand(1000) * 60 - 30),
                torch.tensor(
                    [0.0, -0.0, INF, -INF, NAN, 65504.0, 65520.0, 1e-45, 3.38e38, 1 + 2**-8, 1 + 3 * 2**-8, 5.9e-8]
                ),
            ]
        )
        values = torch.nn.functional.pad(values, (0, 12)).cuda()
        for dtype in (torch.float16, torch.bfloat16, torch.float64):
            target = torch.zeros(1024, dtype=dtype, device="cuda")
            convert[(1,)](values, target, 1024)
            expected = values.cpu().to(dtype)
            self.assertTrue(torch.equal(target.cpu().nan_to_num(7.0), expected.nan_to_num(7.0)), dtype)
            back = torch.zeros(1024, device="cuda")
            convert[(1,)](target, back, 1024)
            self.assertTrue(torch.equal(back.cpu().nan_to_num(7.0), expected.float().nan_to_num(7.0)), dtype)
        ints = torch.arange(-512, 512, device="cuda") * 1000003
        target = torch.zeros(1024, dtype=torch.bfloat16, device="cuda")
        convert[(1,)](ints.int(), target, 1024)
        self.assertTrue(torch.equal(target.cpu(), ints.int().cpu().float().bfloat16()))

    def test_eight_bit_floats(self):
        values = torch.cat([torch.linspace(-500, 500, 500), torch.linspace(-2, 2, 523), torch.tensor([NAN])])
        for dtype, limit in ((torch.float8_e4m3fn, 448), (torch.float8_e5m2, 57344)):
            target = torch.zeros(1024, dtype=dtype, device="cuda")
            convert[(1,)](values.cuda(), target, 1024)
            expected = values.clamp(-limit, limit).to(dtype).float()
            self.assertTrue(torch.equal(target.cpu().float().nan_to_num(7.0), expected.nan_to_num(7.0)), dtype)
            back = torch.zeros(1024, device="cuda")
            convert[(1,)](target, back, 1024)
            self.assertTrue(torch.equal(back.cpu().nan_to_num(7.0), expected.nan_to_num(7.0)), dtype)

    def test_nan_in_extremes(self):
        a, b = on_card([NAN, 1.0, NAN, 2.0], torch.float32), on_card([1.0, NAN, NAN, 3.0], torch.float32)
        out = torch.zeros(16, device="cuda")
        extremes[(1,)](a, b, out, 4)
        expected = [1.0, 1.0, NAN, 3.0, 1.0, 1.0, NAN, 2.0, NAN, NAN, NAN, 3.0, 0.5, 1.0, 0.5, 2.0]
        np.testing.assert_array_equal(expected, out.cpu().numpy())

    def test_nan_in_reductions(self):
        for values, expected in (
            ([NAN, 1.0, 3.0, 2.0], [3.0, 1.0, 2.0, 1.0, NAN]),
            ([1.0, NAN, 0.0, 5.0], [5.0, 0.0, 3.0, 2.0, NAN]),
            ([1.0, 5.0, NAN, 2.0], [5.0, 1.0, 1.0, 3.0, NAN]),
            ([NAN] * 4, [NAN, NAN, 3.0, 3.0, NAN]),
        ):
            out = torch.zeros(5, device="cuda")
            reduced[(1,)](on_card(values, torch.float32), out, 4)
            np.testing.assert_array_equal(expected, out.cpu().numpy())

    def test_shifts_and_overflow(self):
        x = on_card([1, -1, 65537, -(2**31), 5, 6, 7, 2**31 - 1], torch.int32)
        out = torch.zeros(24, dtype=torch.int32, device="cuda")
        shifts[(1,)](x, out, 8)
        self.assertEqual(
            [1, -256, 65536, 0, 0, 0, 0, 0, 1, -1, 1, -128, 0, 0, 0, 0, 1, 1, 131073, 0, 25, 36, 49, 1], out.tolist()
        )

    def test_arithmetic_in_16_bits(self):
        for dtype, last, expected in (
            (torch.float16, 70000, [5.69921875] + [INF] * 7),
            (torch.bfloat16, 3, [5.6875, 2.140625, 0.072265625, -0.546875, 0.30859375, 2.65625, 6.40625, 11.6875]),
        ):
            x = torch.linspace(-3, last, 8).to(dtype).cuda()
            out = torch.zeros(8, dtype=dtype, device="cuda")
            polynomial[(1,)](x, out, 8)
            for got, wanted in zip(out.tolist(), expected):
                # The card fuses product and sum into one rounding; here they are two.
                self.assertTrue(got == wanted or abs(got - wanted) <= 2**-7 * max(abs(wanted), 1), (got, wanted))

    def dot_of(self, x, y, precision):
        out = torch.zeros(x.shape[0], y.shape[1], device="cuda")
        dot[(1,)](x, y, out, x.shape[0], y.shape[1], x.shape[1], precision)
        return out

    def test_dots_of_floats_drop_bits_below_tf32(self):
        steps = [2**-11, 2**-11 + 2**-23, 3 * 2**-11, 2**-12, 2**-11 * 0.99, -(2**-12), 3 * 2**-11]
        one, fine = torch.zeros(16, 16, device="cuda"), torch.zeros(16, 16, device="cuda")
        one[0, 0] = 1
        fine[0, :7] = 1 + torch.tensor(steps).cuda()
        for precision, expected in (
            ("tf32", [0.0, 0.0, 2.0, 0.0, 0.0, -1.0, 2.0]),
            ("ieee", [s * 2**11 for s in steps]),
            ("tf32x3", [s * 2**11 for s in steps]),
        ):
            right = (self.dot_of(one, fine, precision)[0, :7] - 1) * 2**11
            left = (self.dot_of(fine.T.contiguous(), one, precision)[:7, 0] - 1) * 2**11
            for got in (right, left):
                self.assertTrue(np.allclose(expected, got.cpu().numpy(), atol=1e-3), (precision, got))

    def test_dots_of_floats_miss_the_tolerance_of_a_float32_task(self):
        x, y = torch.randn(32, 64, device="cuda"), torch.randn(64, 32, device="cuda")
        exact = x @ y
        self.assertFalse(torch.allclose(self.dot_of(x, y, "tf32"), exact, rtol=1e-5, atol=1e-5))
        self.assertTrue(torch.allclose(self.dot_of(x, y, "ieee"), exact, rtol=1e-5, atol=1e-5))

    def test_dots_of_other_types(self):
        for dtype, scale in ((torch.float16, 1), (torch.bfloat16, 1), (torch.int8, 30), (torch.float8_e5m2, 1)):
            x, y = ((torch.randn(32, 32) * scale).to(dtype).cuda() for _ in range(2))
            out = torch.zeros(32, 32, device="cuda", dtype=torch.int32 if dtype == torch.int8 else torch.float32)
            dot[(1,)](x, y, out, 32, 32, 32, None)
            exact = x.cpu().double() @ y.cpu().double()
            self.assertTrue(torch.allclose(out.cpu().double(), exact, rtol=1e-5, atol=1e-4), dtype)

    def test_high_products(self):
        for dtype, bits in ((torch.int32, 32), (torch.int64, 64)):
            a = torch.randint(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1, (16,), dtype=dtype, device="cuda")
            b = torch.randint(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1, (16,), dtype=dtype, device="cuda")
            out = torch.zeros_like(a)
            high_product[(1,)](a, b, out, 16)
            for x, y, high in zip(a.tolist(), b.tolist(), out.tolist()):
                self.assertEqual(((x % 2**bits) * (y % 2**bits)) >> bits, high % 2**bits)

    @only_emulated
    def test_every_libdevice_function_that_is_listed_gives_its_type(self):
        libdevice = emulated.launch.NumpyBuilder.create_extern_elementwise.__globals__["libdevice"]
        one, two = np.float32([0.3, 1.7]), np.float32([0.6, 2.2])
        for symbol, arguments in (
            ("__nv_expf", [one]),
            ("__nv_fast_sinf", [one]),
            ("__nv_powf", [one, two]),
            ("__nv_fmaf", [one, two, one]),
            ("__nv_isnanf", [one]),
            ("__nv_erfinvf", [one[:1]]),
            ("__nv_float2int_rn", [one]),
            ("__nv_fmul_rn", [one, two]),
            ("__nv_tgammaf", [one]),
        ):
            self.assertTrue(np.isfinite(libdevice.evaluate(symbol, arguments, np.dtype(np.float32))).all(), symbol)
        bits = np.array([1, 0, -1, 40], np.int32)
        for symbol, expected in (
            ("__nv_clz", [31, 32, 0, 26]),
            ("__nv_popc", [1, 0, 32, 2]),
            ("__nv_ffs", [1, 0, 1, 4]),
            ("__nv_brev", [-(2**31), 0, -1, 0x14000000]),
        ):
            self.assertEqual(expected, libdevice.evaluate(symbol, [bits], np.dtype(np.int32)).tolist(), symbol)
        with self.assertRaisesRegex(emulated.UnsupportedOnCpu, "__nv_unheard_of"):
            libdevice.evaluate("__nv_unheard_of", [one], np.dtype(np.float32))


if __name__ == "__main__":
    unittest.main()
