# SPDX-License-Identifier: Apache-2.0
"""Other cards: declared, and compiled for."""

import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import torch
import triton
import triton.language as tl
from support import emulated, in_fork, watch
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

NVIDIA = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
AMD = ("gfx90a", "gfx942", "gfx950", "gfx1100")


@triton.jit
def scale(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)


@triton.jit
def product(a, b, out, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    tl.store(out + i * N + j, tl.dot(tl.load(a + i * N + j), tl.load(b + i * N + j)))


@triton.jit
def transpose(x, out, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    tile = tl.load(x + m[:, None] * N + n[None, :])
    tl.store(out + n[:, None] * M + m[None, :], tl.trans(tile) + tl.sum(tile, axis=0)[:, None])


SCALE_SOURCE = ASTSource(scale, {"x": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {(3,): 1024})
TRANSPOSE = {"x": "*fp32", "out": "*fp32", "M": "constexpr", "N": "constexpr"}
LARGE_SOURCE = ASTSource(transpose, TRANSPOSE, {(2,): 256, (3,): 128})
SMALL_SOURCE = ASTSource(transpose, TRANSPOSE, {(2,): 64, (3,): 32})


def run_on(target, targets=()):
    """Runs a kernel on another declared card; in a fork, as there is one card for a process."""
    emulated.install(target, observer=watch, targets=targets)
    x = torch.ones(100, device="cuda")
    out = torch.empty_like(x)
    kernel = scale[(1,)](x, out, 100, 128)
    target_line = re.search(r"\.target (\w+)", kernel.asm["ptx"]).group(1)
    return torch.cuda.get_device_capability(), target_line, out.sum().item(), watch.targets


def dot_on(target):
    emulated.install(target, observer=watch)
    a, b = torch.full((16, 16), 1 + 2**-12, device="cuda"), torch.eye(16, device="cuda")
    out = torch.empty(16, 16, device="cuda")
    product[(1,)](a, b, out, 16)
    return out[0, 0].item()


class TargetsTest(unittest.TestCase):
    def test_declared_cards(self):
        for target, capability in (("sm_80", (8, 0)), ("sm_120", (12, 0)), ("sm86", (8, 6))):
            found, line, total, _ = in_fork(run_on, target)
            self.assertEqual((capability, 200.0), (found, total))
            self.assertTrue(line.startswith(f"sm_{capability[0]}{capability[1]}"), line)

    def test_only_cards_with_tf32_drop_bits(self):
        self.assertEqual(1.0, in_fork(dot_on, "sm_80"))
        self.assertEqual(1 + 2**-12, in_fork(dot_on, "sm_75"))

    def test_unknown_and_foreign_cards(self):
        with self.assertRaisesRegex(ValueError, "unknown target 'sm_11'; known: sm_75, sm_80"):
            emulated.install("sm_11", observer=watch)
        with self.assertRaisesRegex(ValueError, "only NVIDIA cards are emulated"):
            emulated.install("gfx942", observer=watch)

    def test_installing_takes_milliseconds(self):

        def timed():
            start = time.process_time()
            emulated.install("sm_90", observer=watch)
            return time.process_time() - start

        # Measured at 13 ms of processor time; the limit leaves room for a busy machine.
        self.assertLess(in_fork(timed), 0.1)

    def test_compiling_for_every_target(self):
        for name in NVIDIA + AMD:
            result = emulated.compile_for(SCALE_SOURCE, {"num_warps": 4}, name)
            self.assertEqual((name, True, ""), (result["target"], result["compiled"], result["error"]))
            self.assertGreater(result["registers"], 0)
            self.assertEqual(0, result["spills"])
            self.assertGreaterEqual(result["shared_bytes"], 0)

    def test_what_does_not_fit_or_compile_says_why(self):
        options = {"num_warps": 8}
        fits = emulated.compile_for(LARGE_SOURCE, options, "sm_90")
        small = emulated.compile_for(LARGE_SOURCE, options, "sm_86")
        self.assertGreater(fits["shared_bytes"], emulated.TARGETS["sm_86"].shared_bytes_per_block)
        self.assertTrue(small["compiled"])
        self.assertRegex(small["error"], r"needs \d+ bytes of shared memory, has 101376")
        clusters = emulated.compile_for(SCALE_SOURCE, {"num_warps": 4, "num_ctas": 2}, "sm_80")
        self.assertFalse(clusters["compiled"])
        self.assertIn("num_ctas > 1 requires NVIDIA SM90+", clusters["error"])

    def test_registers_and_spills_are_the_assembler_s(self):
        compiled = triton.compile(
            SMALL_SOURCE, target=GPUTarget("cuda", 80, 32), options={"num_warps": 1, "maxnreg": 32}
        )
        with tempfile.TemporaryDirectory() as folder:
            ptx = Path(folder) / "kernel.ptx"
            ptx.write_text(compiled.asm["ptx"])
            assembler = Path(triton.__file__).parent / "backends/nvidia/bin/ptxas"
            run = subprocess.run(
                [assembler, "-v", "-lineinfo", "--gpu-name=sm_80", ptx, "-o", ptx.with_suffix(".o")],
                capture_output=True,
                text=True,
            )
        log = run.stderr
        self.assertEqual(0, run.returncode, log + run.stdout)
        registers = int(re.search(r"Used (\d+) registers", log).group(1))
        frame = int(re.search(r"(\d+) bytes stack frame", log).group(1))
        self.assertEqual(32, registers)
        self.assertGreater(frame, 0, "the kernel was meant to spill")
        self.assertEqual(
            (registers, frame // 4), emulated.targets.binaries.cubin_use(compiled.asm["cubin"], compiled.metadata.name)
        )

    def test_targets_are_compiled_for_at_the_first_launch(self):
        *_, seen = in_fork(run_on, "sm_90", ("sm_80", "gfx942"))
        self.assertEqual(
            [("scale", "sm_80", True), ("scale", "gfx942", True)],
            [(kernel, result["target"], result["compiled"]) for kernel, result in seen],
        )


if __name__ == "__main__":
    unittest.main()
