# SPDX-License-Identifier: Apache-2.0
"""A launch: compiled as on the card, refused as on the card, then interpreted. Error texts are those of an H200."""

import unittest

import torch
import triton
import triton.language as tl
from support import emulated, install, only_emulated
from triton.compiler.errors import CompilationError
from triton.runtime.errors import OutOfResources


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def set_one(p):
    tl.store(p, 1.0)


@triton.jit
def refused_by_the_compiler(p):
    tl.store(p, tl.arange(0, 3))


@triton.jit
def deep_pipeline(a, b, out, steps, M: tl.constexpr, K: tl.constexpr):
    m, k = tl.arange(0, M), tl.arange(0, K)
    total = tl.zeros((M, M), tl.float32)
    for step in range(steps):
        left = tl.load(a + m[:, None] * K + k[None, :] + step * M * K)
        right = tl.load(b + k[:, None] * M + m[None, :] + step * M * K)
        total = tl.dot(left, right, total)
    tl.store(out + m[:, None] * M + m[None, :], total)


@triton.jit
def four_arguments(a, b, number, out):
    tl.store(out, number)


@triton.jit
def store_number(out, number):
    tl.store(out, number)


@triton.jit
def optional(x, bias, out, HAS_BIAS: tl.constexpr):
    value = tl.load(x)
    if HAS_BIAS:
        value += tl.load(bias)
    if bias is not None:
        value += 10
    tl.store(out, value)


@triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128}, num_warps=8)], key=["n"])
@triton.jit
def tuned(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


@triton.heuristics({"EVEN": lambda args: args["n"] % 2 == 0})
@triton.jit
def guided(out, n, EVEN: tl.constexpr):
    if EVEN:
        tl.store(out, 2)
    else:
        tl.store(out, 1)


@triton.jit
def count_instances(out):
    tl.atomic_add(out + tl.program_id(0), 1)
    tl.atomic_add(out + 8 + tl.program_id(1), tl.num_programs(2))


@triton.jit
def with_a_clock(out):
    tl.store(out, tl.inline_asm_elementwise("mov.u32 $0, 7;", "=r", [], dtype=tl.int32, is_pure=True, pack=1))


class LaunchTest(unittest.TestCase):
    def setUp(self):
        self.watch = install()
        self.card, self.host = torch.zeros(64, device="cuda"), torch.zeros(64)

    @only_emulated
    def test_kernels_compile_and_compute(self):
        x, y = torch.rand(1000, device="cuda"), torch.rand(1000, device="cuda")
        out = torch.empty_like(x)
        kernel = add[(triton.cdiv(1000, 256),)](x, y, out, 1000, BLOCK=256)
        self.assertTrue(torch.equal(out, x + y))
        self.assertIsInstance(add, triton.runtime.JITFunction)
        self.assertIn("cubin", kernel.asm)
        self.assertEqual(["compiling", "running", "interpreting", "running"], self.watch.phases)
        ((name, grid, metadata),) = self.watch.launches
        self.assertEqual(("add", (4, 1, 1)), (name, grid))
        self.assertEqual({"shared_bytes", "registers", "spills", "num_warps", "num_ctas"}, set(metadata))
        self.assertGreater(metadata["registers"], 0)
        self.assertEqual((0, 4, 1), (metadata["spills"], metadata["num_warps"], metadata["num_ctas"]))
        self.watch.clear()
        add[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, x, out, 1000, BLOCK=256)
        self.assertEqual(["interpreting", "running"], self.watch.phases)
        self.assertTrue(torch.equal(out, x + x))

    @only_emulated
    def test_the_compiler_s_error_reaches_the_caller(self):
        with self.assertRaisesRegex(CompilationError, "arange's range must be a power of 2"):
            refused_by_the_compiler[(1,)](self.card)
        self.assertEqual(["compiling", "running"], self.watch.phases)
        self.assertEqual([], self.watch.reasons)

    def test_more_shared_memory_than_the_card_has(self):
        big = torch.zeros(2 * 128 * 256, device="cuda", dtype=torch.float16)
        with self.assertRaisesRegex(OutOfResources, "shared memory, Required: [0-9]+, Hardware limit: 232448"):
            deep_pipeline[(1,)](big, big, big, 2, 128, 256, num_stages=4, num_warps=8)
        self.assertEqual([], self.watch.launches)

    def test_too_many_threads(self):
        with self.assertRaisesRegex(OutOfResources, "threads, Required: 2048, Hardware limit: 1024"):
            set_one[(1,)](self.card, num_warps=64)

    def test_host_pointers_are_refused(self):
        card, host = self.card, self.host
        for position, arguments in (
            (0, (host, card, 1.0, card)),
            (1, (card, host, 1.0, card)),
            (3, (card, card, 1.0, host)),
            (1, (None, host, 1, card)),
        ):
            with self.assertRaises(ValueError) as caught:
                four_arguments[(1,)](*arguments)
            self.assertEqual(
                f"Pointer argument (at {position}) cannot be accessed from Triton (cpu tensor?)", str(caught.exception)
            )
        set_one[(0,)](torch.ones(0))
        set_one[(1,)](host.pin_memory())

    def test_grids(self):
        for error, text, grid in (
            (RuntimeError, r"Triton Error \[CUDA\]: invalid argument", (1, 70000)),
            (RuntimeError, r"Triton Error \[CUDA\]: invalid argument", (1, 1, 65536)),
            (TypeError, "'float' object cannot be interpreted as an integer", (1.0,)),
            (TypeError, r"object of type 'int' has no len\(\)", 1),
            (OverflowError, "signed integer is greater than maximum", (2**31,)),
        ):
            with self.subTest(grid), self.assertRaisesRegex(error, text):
                set_one[grid](self.card)
        for grid in ((0,), (-1,), (4, 0)):
            set_one[grid](self.card)
        self.assertEqual(0.0, self.card[0].item())
        for grid in ((1, 1, 1, 5), (torch.tensor(1),), [1]):
            set_one[grid](self.card)
        counts = torch.zeros(16, dtype=torch.int32, device="cuda")
        count_instances[(2, 3, 4)](counts)
        self.assertEqual([12, 12] + [0] * 6 + [32] * 3 + [0] * 5, counts.tolist())

    def test_arguments_have_the_type_they_were_compiled_for(self):
        for dtype, number, stored in (
            (torch.int32, True, 1),
            (torch.float32, 0.1, None),
            (torch.int64, 2**40, 2**40),
            (torch.bool, False, 0),
            (torch.int32, -5, -5),
            (torch.int64, 2**63 + 1, None),
            (torch.float16, 3, 3.0),
            (torch.int32, 1, 1),
        ):
            out = torch.full((4,), 7, device="cuda").to(dtype)
            before = out[1].item()
            store_number[(1,)](out, number)
            expected = torch.tensor(number).to(dtype).item() if stored is None and number < 2**63 else stored
            if expected is not None:
                self.assertEqual(expected, out[0].item())
            self.assertEqual(before, out[1].item(), "an argument was stored too wide")

    def test_none_is_a_constant(self):
        out = torch.zeros(1, device="cuda")
        optional[(1,)](self.card, None, out, HAS_BIAS=False)
        self.assertEqual(0.0, out.item())
        optional[(1,)](self.card, self.card + 5, out, HAS_BIAS=True)
        self.assertEqual(15.0, out.item())

    @only_emulated
    def test_autotune_runs_every_configuration_once(self):
        x, out = torch.rand(200, device="cuda"), torch.empty(200, device="cuda")
        grid = lambda meta: (triton.cdiv(200, meta["BLOCK"]),)  # noqa: E731
        tuned[grid](x, out, 200)
        self.assertTrue(torch.equal(x + 1, out))
        self.assertEqual([(4, 1, 1), (2, 1, 1), (4, 1, 1)], [grid for _, grid, _ in self.watch.launches])
        self.watch.clear()
        tuned[grid](x, out, 200)
        self.assertEqual(1, len(self.watch.launches))

    def test_heuristics(self):
        out = torch.zeros(1, dtype=torch.int32, device="cuda")
        guided[(1,)](out, 4)
        self.assertEqual(2, out.item())
        guided[(1,)](out, 5)
        self.assertEqual(1, out.item())

    def test_a_tensor_reinterpreted(self):
        out = torch.zeros(4, dtype=torch.int32, device="cuda")
        store_number[(1,)](triton.reinterpret(out, tl.float32), 1.0)
        self.assertEqual(0x3F800000, out[0].item())

    @only_emulated
    def test_what_cannot_be_interpreted_is_said_so(self):
        with self.assertRaisesRegex(emulated.UnsupportedOnCpu, "inline assembly"):
            with_a_clock[(1,)](torch.zeros(1, dtype=torch.int32, device="cuda"))
        self.assertEqual(1, len(self.watch.reasons))
        self.assertIn("with_a_clock", self.watch.reasons[0])
        self.assertEqual("running", self.watch.phases[-1])
        self.assertFalse(issubclass(emulated.UnsupportedOnCpu, Exception), "a submission could swallow it")

    def test_nothing_of_triton_or_the_submission_is_patched(self):
        names = set(globals())
        language = {name: getattr(tl, name) for name in dir(tl)}
        self.test_none_is_a_constant()
        self.assertEqual(names, set(globals()))
        self.assertEqual(language, {name: getattr(tl, name) for name in dir(tl)})
        with self.assertRaisesRegex(RuntimeError, "Cannot call @triton.jit'd outside of the scope of a kernel"):
            add(1, 2, 3, 4, 5)

    def test_warmup_only_compiles(self):
        self.watch.clear()
        kernel = set_one.warmup(torch.float32, grid=(1,))
        self.assertIn("ptx", kernel.asm)
        self.assertEqual([], self.watch.launches)

    def test_launch_hooks(self):
        seen = []
        hooks = triton.knobs.runtime
        with triton.knobs.runtime.scope():
            hooks.launch_enter_hook = lambda metadata: seen.append(metadata.get()["name"])
            hooks.launch_exit_hook = lambda metadata: seen.append("done")
            set_one[(1,)](self.card)
        self.assertEqual(["set_one", "done"], seen)


if __name__ == "__main__":
    unittest.main()
