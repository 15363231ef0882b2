# SPDX-License-Identifier: Apache-2.0
"""Accesses outside the live storages: a write ends the launch, a read is reported and gives garbage."""

import inspect
import unittest

import torch
import triton
import triton.language as tl
from support import emulated, install, only_emulated


@triton.jit
def copy(source, target, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(source + at)  # reads past the end
    tl.store(target + at, value, mask=at < n)


@triton.jit
def overrun(target, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(target + at, at)  # writes past the end


@triton.jit
def inner_store(p, value):
    tl.store(p, value)  # in a function


@triton.jit
def outer(target, n):
    inner_store(target + n, 1)


@triton.jit
def underrun(target):
    tl.store(target - 1, 1)


@triton.jit
def add_past_the_end(target, n):
    tl.atomic_add(target + n, 1)


@triton.jit
def through_an_address(address, target):
    source = address.to(tl.pointer_type(tl.float32))
    tl.store(target, tl.load(source))


@triton.jit
def gather_pointers(table, target, COUNT: tl.constexpr):
    at = tl.arange(0, COUNT)
    pointers = tl.load(table + at).to(tl.pointer_type(tl.float32))
    tl.store(target + at, tl.load(pointers))


@triton.jit
def masked(source, target, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(target + at, tl.load(source + at, mask=at < 2))


@triton.jit
def block_pointer(source, target, n, CHECK: tl.constexpr):
    block = tl.make_block_ptr(source, (n,), (1,), (0,), (16,), (0,))
    if CHECK:
        value = tl.load(block, boundary_check=(0,), padding_option="zero")
    else:
        value = tl.load(block)
    tl.store(target + tl.arange(0, 16), value)


def line_of(kernel, text):
    lines, first = inspect.getsourcelines(kernel.fn)
    return first + next(i for i, line in enumerate(lines) if text in line)


class MemoryTest(unittest.TestCase):
    def setUp(self):
        self.watch = install()

    @only_emulated
    def test_reads_past_the_end_are_reported_once_and_give_garbage(self):
        source, target = torch.ones(5, device="cuda"), torch.zeros(16, device="cuda")
        copy[(3,)](source, target, 16, BLOCK=16)
        ((rule, detail, line),) = self.watch.findings
        self.assertEqual(("out_of_bounds_read", line_of(copy, "past the end")), (rule, line))
        self.assertIn("'copy', argument 'source': 11 elements, the first reaching 4 bytes past its end", detail)
        self.assertEqual([1.0] * 5, target[:5].tolist())
        garbage = target[5:]
        self.assertTrue(torch.isfinite(garbage).all())
        self.assertTrue((garbage > 1e10).all())
        self.assertEqual(garbage.tolist(), garbage[:1].expand(11).tolist())

    @only_emulated
    def test_garbage_that_is_masked_away_does_no_harm(self):
        source, target = torch.ones(5, device="cuda"), torch.zeros(5, device="cuda")
        copy[(1,)](source, target, 5, BLOCK=16)
        self.assertEqual([1.0] * 5, target.tolist())
        self.assertEqual(1, len(self.watch.findings))

    @only_emulated
    def test_garbage_in_every_type_is_a_number(self):
        for dtype in (torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.int64, torch.bool):
            target = torch.zeros(16, dtype=dtype, device="cuda")
            copy[(1,)](torch.zeros(1, dtype=dtype, device="cuda"), target, 16, BLOCK=16)
            self.assertTrue(target[1:].bool().all())
            self.assertFalse(target.isnan().any())

    @only_emulated
    def test_a_write_past_the_end_ends_the_launch(self):
        target = torch.zeros(5, dtype=torch.int32, device="cuda")
        beside = target.clone()
        with self.assertRaises(emulated.OutOfBoundsWrite) as caught:
            overrun[(1,)](target, BLOCK=8)
        error = caught.exception
        self.assertEqual(
            ("overrun", line_of(overrun, "past the end"), "target"), (error.kernel, error.line, error.argument)
        )
        self.assertEqual(beside.tolist(), target.tolist())
        self.assertEqual("running", self.watch.phases[-1])
        self.assertEqual(["out_of_bounds_write"], [rule for rule, _, _ in self.watch.findings])
        self.assertFalse(issubclass(emulated.OutOfBoundsWrite, Exception))

    @only_emulated
    def test_the_line_is_that_of_the_innermost_function(self):
        with self.assertRaises(emulated.OutOfBoundsWrite) as caught:
            outer[(1,)](torch.zeros(4, device="cuda"), 4)
        self.assertEqual(line_of(inner_store, "in a function"), caught.exception.line)

    @only_emulated
    def test_other_writes(self):
        target = torch.zeros(4, dtype=torch.int32, device="cuda")
        with self.assertRaisesRegex(emulated.OutOfBoundsWrite, "4 bytes before its start"):
            underrun[(1,)](target)
        with self.assertRaises(emulated.OutOfBoundsWrite):
            add_past_the_end[(1,)](target, 4)

    def test_views_may_reach_all_of_their_storage(self):
        whole = torch.arange(32, device="cuda", dtype=torch.float32)
        target = torch.zeros(16, device="cuda")
        copy[(1,)](whole[4:6], target, 16, BLOCK=16)
        self.assertEqual(whole[4:20].tolist(), target.tolist())
        self.assertEqual([], self.watch.findings)

    @only_emulated
    def test_memory_known_only_by_its_address(self):
        source, target = torch.full((1,), 3.0, device="cuda"), torch.zeros(1, device="cuda")
        through_an_address[(1,)](source.data_ptr(), target)
        self.assertEqual(3.0, target.item())
        self.assertEqual([], self.watch.findings)
        host = torch.full((1,), 3.0)
        through_an_address[(1,)](host.data_ptr(), target)
        self.assertNotEqual(3.0, target.item())
        self.assertEqual(["out_of_bounds_read"], [rule for rule, _, _ in self.watch.findings])

    def test_lanes_in_several_storages(self):
        parts = [torch.full((1,), float(i), device="cuda") for i in range(4)]
        table = torch.tensor([p.data_ptr() for p in parts], dtype=torch.int64, device="cuda")
        target = torch.zeros(4, device="cuda")
        gather_pointers[(1,)](table, target, 4)
        self.assertEqual([0.0, 1.0, 2.0, 3.0], target.tolist())
        self.assertEqual([], self.watch.findings)

    def test_masked_lanes_are_no_access_and_read_zero_as_on_the_card(self):
        source, target = torch.ones(2, device="cuda"), torch.full((8,), -5.0, device="cuda")
        kernel = masked[(1,)](source, target, BLOCK=8)
        self.assertEqual([1.0, 1.0] + [0.0] * 6, target.tolist())
        self.assertEqual([], self.watch.findings)
        self.assertRegex(kernel.asm["ptx"], r"mov\.u32 [^;]*0x0;\s*@")

    @only_emulated
    def test_block_pointers(self):
        source, target = torch.ones(10, device="cuda"), torch.zeros(16, device="cuda")
        block_pointer[(1,)](source, target, 10, CHECK=True)
        self.assertEqual([1.0] * 10 + [0.0] * 6, target.tolist())
        self.assertEqual([], self.watch.findings)
        block_pointer[(1,)](source, target, 10, CHECK=False)
        self.assertEqual(1, len(self.watch.findings))


if __name__ == "__main__":
    unittest.main()
