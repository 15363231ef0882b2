# SPDX-License-Identifier: Apache-2.0
"""Triton's driver on an NVIDIA GPU, without a C compiler at run time. Internals checked with Triton 3.6.

Every launch passes through here, which is what makes the list of a submission's own kernels.
"""

import contextlib
import re

import torch
import triton.testing
from triton.backends.nvidia import driver as stock
from triton.backends.driver import GPUDriver
from triton.runtime import _allocation
from triton.runtime import driver as active_driver
from triton.runtime import jit

from . import _native


class Utils:
    """What Triton's compiled kernels ask of a driver."""

    def __init__(self):
        self.resources = {}  # (registers, spills) of a loaded function

    def load_binary(self, name, image, shared_bytes, device):
        torch.cuda.current_stream(device)  # makes the context current
        module, function, registers, spills, max_threads = _native.load_binary(name, image, shared_bytes)
        self.resources[function] = registers, spills
        return module, function, registers, spills, max_threads

    @staticmethod
    def get_device_properties(device):
        p = torch.cuda.get_device_properties(device)
        return {
            "max_shared_mem": p.shared_memory_per_block_optin,
            "max_num_regs": p.regs_per_multiprocessor,
            "multiprocessor_count": p.multi_processor_count,
            "warpSize": p.warp_size,
            "sm_clock_rate": getattr(p, "clock_rate", 0),
            "mem_clock_rate": getattr(p, "memory_clock_rate", 0),
            "mem_bus_width": getattr(p, "memory_bus_width", 0),
        }

    @staticmethod
    def set_printf_fifo_size(size):
        """The size of the device's buffer for prints; the driver's default serves."""

    fill_tma_descriptor = staticmethod(_native.fill_tma_descriptor)


def is_descriptor(kind):
    return isinstance(kind, str) and kind.startswith("tensordesc")


def expanded_signature(signature, descriptors):
    """The signature with each tensor descriptor opened to what make_tensordesc_arg makes of its argument.

    descriptors: Triton's metadata of each, or None where the compiler did without a tensor map.
    """
    out, metas = [], iter(descriptors)
    for kind in signature:
        if not is_descriptor(kind):
            out.append(kind)
            continue
        dtype, block = re.match(r"tensordesc<([^\[>]*)\[([^\]]*)\]", kind).groups()
        rank = block.count(",") + 1
        head = ["nvTmaDesc"] if next(metas) is not None else ["*" + dtype, *["i64"] * (2 * rank), "i1"]
        out += [*head, *["i32"] * rank, *["i64"] * rank]
    return out


def expanded_arguments(signature, descriptors, arguments):
    out, metas = [], iter(descriptors)
    for kind, value in zip(signature, arguments, strict=True):
        out += stock.make_tensordesc_arg(value, next(metas)) if is_descriptor(kind) else [value]
    return out


def flatten(signature, arguments, types, values):
    """Tuples opened, constants left out: what reaches the kernel, in order."""
    for kind, value in zip(signature, arguments, strict=True):
        if isinstance(kind, tuple):
            flatten(kind, value, types, values)
        elif kind != "constexpr":
            types.append(kind)
            values.append(value)


class Launcher:
    """One launch signature of one kernel. Made by Triton, once a compiled kernel."""

    watch = None
    resources = {}
    targets = ()

    def __init__(self, src, metadata):
        self.report_portability(src, metadata)
        self.given = list(src.signature.values())
        self.descriptors = getattr(metadata, "tensordesc_meta", None) or [None] * sum(map(is_descriptor, self.given))
        self.signature = expanded_signature(self.given, self.descriptors)
        self.metadata = metadata
        self.native = None

    def report_portability(self, src, metadata):
        if not self.targets:
            return
        from .emulated.targets import compile_for

        with compiling(self.watch):
            for name in self.targets:
                self.watch.target(metadata.name, compile_for(src, metadata._asdict(), name))

    def scratch(self, programs, size, align, allocator, stream):
        if size == 0:
            return None
        return allocator.get()(programs * self.metadata.num_ctas * size, align, stream)

    def __call__(self, x, y, z, stream, function, packed, launch_metadata, enter, leave, *arguments):
        m = self.metadata
        types, values = [], []
        if self.descriptors:
            arguments = expanded_arguments(self.given, self.descriptors, arguments)
        flatten(self.signature, arguments, types, values)
        for size, align, allocator in (
            (m.global_scratch_size, m.global_scratch_align, _allocation._allocator),
            (m.profile_scratch_size, m.profile_scratch_align, _allocation._profile_allocator),
        ):
            types.append("*i8")
            values.append(self.scratch(x * y * z, size, align, allocator, stream))
        if self.native is None:
            self.native = _native.Launcher(types)
        if enter is not None:
            enter(launch_metadata)
        self.native.launch(
            (x, y, z), stream, function, m.num_warps, m.num_ctas, m.shared,
            m.launch_cooperative_grid, m.launch_pdl, values,
        )  # fmt: skip
        registers, spills = self.resources.get(function, (None, None))
        self.watch.launch(m.name, (x, y, z), {"shared_bytes": m.shared, "registers": registers, "spills": spills})
        if leave is not None:
            leave(launch_metadata)


def bench_once(function, quantiles=None, return_mode="mean", **_):
    """In place of triton.testing.do_bench: one run, in ms. Autotuning then costs what compiling costs.

    Many guests share the card while values are judged, so more repetitions would take seconds and mean no more.
    """
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    function()
    end.record()
    end.synchronize()
    elapsed = start.elapsed_time(end)
    if quantiles is not None:
        return elapsed if len(quantiles) == 1 else [elapsed] * len(quantiles)
    return [elapsed] if return_mode == "all" else elapsed


class Driver(stock.CudaDriver):
    def __init__(self):
        self.utils = Utils()
        self.launcher_cls = Launcher
        GPUDriver.__init__(self)

    def get_benchmarker(self):
        return bench_once


def install(watch, targets):
    """targets: names of compile targets that every kernel is compiled for besides."""
    driver = Driver()
    Launcher.watch, Launcher.resources, Launcher.targets = watch, driver.utils.resources, tuple(targets)
    active_driver.set_active(driver)
    triton.testing.do_bench = triton.testing.do_bench_cudagraph = bench_once


@contextlib.contextmanager
def compiling(watch):
    """Tells the judge while Triton compiles, since compiling has a limit of its own."""
    before = watch.current
    watch.phase("compiling")
    try:
        yield
    finally:
        watch.phase(before)


def watch_compiler(watch):
    compile_kernel = jit.JITFunction._do_compile

    def timed(self, *args, **kwargs):
        with compiling(watch):
            return compile_kernel(self, *args, **kwargs)

    jit.JITFunction._do_compile = timed
