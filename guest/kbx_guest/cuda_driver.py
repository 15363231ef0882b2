# SPDX-License-Identifier: Apache-2.0
"""Triton's driver on an NVIDIA GPU, without a C compiler at run time. Internals checked with Triton 3.6.

Every launch passes through here, which is what makes the list of a submission's own kernels.
"""

import torch
from triton.backends.nvidia import driver as stock
from triton.backends.driver import GPUDriver
from triton.runtime import _allocation
from triton.runtime import driver as active_driver
from triton.runtime import jit

from . import _native


class Utils:
    """What Triton's compiled kernels ask of a driver."""

    @staticmethod
    def load_binary(name, image, shared_bytes, device):
        torch.cuda.current_stream(device)  # makes the context current
        return _native.load_binary(name, image, shared_bytes)

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

    def __new__(cls, src, metadata):
        if any(isinstance(kind, str) and kind.startswith("tensordesc") for kind in src.signature.values()):
            # Tensor descriptors need a tensor map encoded by the driver; Triton's own launcher does that.
            return stock.CudaLauncher(src, metadata)
        return super().__new__(cls)

    def __init__(self, src, metadata):
        self.signature = list(src.signature.values())
        self.metadata = metadata
        self.native = None

    def scratch(self, programs, size, align, allocator, stream):
        if size == 0:
            return None
        return allocator.get()(programs * self.metadata.num_ctas * size, align, stream)

    def __call__(self, x, y, z, stream, function, packed, launch_metadata, enter, leave, *arguments):
        m = self.metadata
        types, values = [], []
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
        self.watch.launch(m.name, (x, y, z), {"shared_bytes": m.shared})
        if leave is not None:
            leave(launch_metadata)


class Driver(stock.CudaDriver):
    def __init__(self):
        self.utils = Utils()
        self.launcher_cls = Launcher
        GPUDriver.__init__(self)


def install(watch):
    Launcher.watch = watch
    active_driver.set_active(Driver())


def watch_compiler(watch, targets):
    """Tells the judge when Triton compiles, since compiling has a limit of its own."""
    compile_kernel = jit.JITFunction._do_compile

    def timed(self, *args, **kwargs):
        before = watch.current
        watch.phase("compiling")
        try:
            return compile_kernel(self, *args, **kwargs)
        finally:
            watch.phase(before)

    jit.JITFunction._do_compile = timed
