# SPDX-License-Identifier: Apache-2.0
"""The GPUs that can be declared, and compiling a kernel for one that is not there.

Limits of an architecture (shared memory, threads) are those of the CUDA C++ Programming Guide's table of compute
capabilities and of AMD's tables of hardware specifications; what differs between cards of one architecture (multi-
processors, memory, clocks) is that of the card named. sm_90's row was read from an H200.
"""

import contextlib
import dataclasses
import io
import re

from . import binaries
from .triton_internals import GPUTarget, compile_source

MIB = 1 << 20
GIB = 1 << 30


@dataclasses.dataclass(frozen=True)
class Target:
    name: str
    card: str
    multiprocessors: int
    total_memory_bytes: int
    shared_bytes_per_block: int
    shared_bytes_per_multiprocessor: int
    l2_bytes: int
    clock_khz: int
    memory_clock_khz: int
    memory_bus_bits: int
    threads_per_multiprocessor: int = 2048
    warp_size: int = 32

    @property
    def is_nvidia(self) -> bool:
        return self.name.startswith("sm_")

    @property
    def capability(self) -> tuple[int, int]:
        number = int(self.name.removeprefix("sm_"))
        return number // 10, number % 10

    @property
    def triton_target(self) -> GPUTarget:
        if self.is_nvidia:
            return GPUTarget("cuda", int(self.name.removeprefix("sm_")), self.warp_size)
        return GPUTarget("hip", self.name, self.warp_size)


def _nvidia(name, card, multiprocessors, memory_gib, shared_kib, l2_mib, clock, memory_clock, bus, threads=2048):
    """A block may have all of a multiprocessor's shared memory but 1 KiB (all of it on sm_75)."""
    optin = shared_kib * 1024 if name == "sm_75" else (shared_kib - 1) * 1024
    return Target(
        name,
        card,
        multiprocessors,
        memory_gib * GIB,
        optin,
        shared_kib * 1024,
        l2_mib * MIB,
        clock,
        memory_clock,
        bus,
        threads,
    )


def _amd(name, card, multiprocessors, memory_gib, shared_kib, l2_mib, clock, memory_clock, bus, warp_size):
    return Target(
        name,
        card,
        multiprocessors,
        memory_gib * GIB,
        shared_kib * 1024,
        shared_kib * 1024,
        l2_mib * MIB,
        clock,
        memory_clock,
        bus,
        warp_size=warp_size,
    )


TARGETS = {
    target.name: target
    for target in (
        _nvidia("sm_75", "Tesla T4", 40, 15, 64, 4, 1590000, 5001000, 256, 1024),
        _nvidia("sm_80", "NVIDIA A100-SXM4-80GB", 108, 80, 164, 40, 1410000, 1593000, 5120),
        _nvidia("sm_86", "NVIDIA GeForce RTX 3090", 82, 24, 100, 6, 1695000, 9751000, 384, 1536),
        _nvidia("sm_87", "Orin", 16, 32, 164, 4, 1300000, 1600000, 256, 1536),
        _nvidia("sm_89", "NVIDIA GeForce RTX 4090", 128, 24, 100, 72, 2520000, 10501000, 384, 1536),
        dataclasses.replace(
            _nvidia("sm_90", "NVIDIA H200", 132, 140, 228, 60, 1980000, 3201000, 6016), total_memory_bytes=150109880320
        ),
        _nvidia("sm_100", "NVIDIA B200", 148, 179, 228, 126, 1965000, 3996000, 7680),
        _nvidia("sm_103", "NVIDIA B300", 148, 268, 228, 126, 2032000, 3996000, 7680),
        _nvidia("sm_120", "NVIDIA GeForce RTX 5090", 170, 32, 100, 96, 2407000, 14001000, 512, 1536),
        _nvidia("sm_121", "NVIDIA GB10", 48, 119, 100, 24, 2418000, 8533000, 256, 1536),
        _amd("gfx90a", "AMD Instinct MI250X", 110, 64, 64, 8, 1700000, 1600000, 4096, 64),
        _amd("gfx942", "AMD Instinct MI300X", 304, 192, 64, 4, 2100000, 1300000, 8192, 64),
        _amd("gfx950", "AMD Instinct MI355X", 256, 288, 160, 4, 2400000, 2000000, 8192, 64),
        _amd("gfx1100", "AMD Radeon RX 7900 XTX", 96, 24, 64, 6, 2500000, 1249000, 384, 32),
    )
}


def find_target(name: str) -> Target:
    normal = re.sub(r"^sm(\d)", r"sm_\1", name)
    if normal not in TARGETS:
        raise ValueError(f"unknown target '{name}'; known: {', '.join(TARGETS)}")
    return TARGETS[normal]


def compile_for(source, options: dict, name: str) -> dict:
    """Compiles a kernel (an ASTSource) for another target; nothing of it can fail but into the answer's `error`.

    `options` are those of the launch; only what a target does not decide for itself is passed on.
    """
    result = {"target": name, "compiled": False, "shared_bytes": None, "registers": None, "spills": None, "error": ""}
    target = find_target(name)
    try:
        # The assembler's complaints go to standard output there; they are in the exception as well.
        with contextlib.redirect_stdout(io.StringIO()):
            kernel = compile_source(source, target=target.triton_target, options=_portable(options, target))
    except Exception as error:  # whatever stops a compiler is the answer
        return result | {"error": f"{type(error).__name__}: {str(error).strip()}"[:500]}
    registers, spills = use_of(kernel, target)
    result |= {"compiled": True, "shared_bytes": kernel.metadata.shared, "registers": registers, "spills": spills}
    if kernel.metadata.shared > target.shared_bytes_per_block:
        result["error"] = f"needs {kernel.metadata.shared} bytes of shared memory, has {target.shared_bytes_per_block}"
    return result


def use_of(kernel, target: Target) -> tuple[int | None, int | None]:
    """(registers, spills) of a compiled kernel."""
    if target.is_nvidia:
        return binaries.cubin_use(kernel.asm["cubin"], kernel.metadata.name)
    return binaries.amdgcn_use(kernel.asm["amdgcn"])


_LAUNCH_OPTIONS = ("num_warps", "num_ctas", "num_stages", "enable_fp_fusion", "debug", "launch_cooperative_grid")


def _portable(options: dict, target: Target) -> dict:
    names = _LAUNCH_OPTIONS + (("maxnreg",) if target.is_nvidia else ())
    return {name: options[name] for name in names if options.get(name) is not None}
