# SPDX-License-Identifier: Apache-2.0
"""The driver that stands where Triton asks for hardware. All that happens at a launch is Triton's own code (binding,
specialising, compiling, refusing what the target cannot hold); only loading and launching come here."""

from . import binaries
from .launch import Launcher
from .targets import Target
from .triton_internals import DriverBase

MAX_THREADS_PER_BLOCK = 1024
MAX_REGISTERS = 65536


class LoadedKernel:
    """What stands for a function handle: the binary's own figures."""

    def __init__(self, name: str, registers: int | None, spills: int | None):
        self.name, self.registers, self.spills = name, registers, spills


class _Utils:
    """`driver.active.utils` of Triton."""

    def __init__(self, target: Target):
        self._target = target

    def load_binary(self, name, kernel, shared, device):
        registers, spills = binaries.cubin_use(kernel, name)
        loaded = LoadedKernel(name, registers, spills)
        return loaded, loaded, registers or 0, spills or 0, MAX_THREADS_PER_BLOCK

    def get_device_properties(self, device):
        target = self._target
        return {
            "max_shared_mem": target.shared_bytes_per_block,
            "max_num_regs": MAX_REGISTERS,
            "multiprocessor_count": target.multiprocessors,
            "warpSize": target.warp_size,
            "sm_clock_rate": target.clock_khz,
            "mem_clock_rate": target.memory_clock_khz,
            "mem_bus_width": target.memory_bus_bits,
        }

    def set_printf_fifo_size(self, size):
        pass


class EmulatedDriver(DriverBase):
    def __init__(self, target: Target, context):
        super().__init__()
        self._target = target
        self.utils = _Utils(target)
        self.launcher_cls = lambda source, metadata: Launcher(source, metadata, context)

    @classmethod
    def is_active(cls):
        return True

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=None):
        return 0

    def get_device_capability(self, device=None):
        return self._target.capability

    def get_current_target(self):
        return self._target.triton_target

    def get_active_torch_device(self):
        import torch

        return torch.device("cuda", 0)

    def get_device_interface(self):
        import torch

        return torch.cuda

    def map_python_to_cpp_type(self, ty):
        from .triton_internals import cpp_type

        return cpp_type(ty)

    def get_benchmarker(self):
        from .cuda_api import benchmark

        return benchmark

    def get_empty_cache_for_benchmark(self):
        import torch

        return torch.empty(1, dtype=torch.int, device="cuda")

    def clear_cache(self, cache):
        cache.zero_()
