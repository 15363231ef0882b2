# SPDX-License-Identifier: Apache-2.0
"""The emulated GPU: Triton submissions written for CUDA run unchanged where there is no GPU.

Kernels are compiled for the declared card by Triton's own compiler, down to the binary, and then interpreted; tensors
have an emulated place; `torch.cuda` answers for the declared card. See docs/design.md, "Without a GPU".

    emulated.install("sm_90", observer=watch)

once, in a freshly forked guest that has imported torch and triton. The observer's methods are called as things happen:

    phase(name)                         "compiling", "interpreting", and "running" when neither
    launch(kernel_name, grid, metadata) before a kernel is interpreted; metadata has shared_bytes, registers, spills
                                        (None where unknown), num_warps, num_ctas
    finding(rule, detail, line)         out_of_bounds_read, out_of_bounds_write; line in the submission's file
    unsupported(reason)                 before `UnsupportedOnCpu` is raised
    target(kernel_name, result)         one kernel compiled for one of `targets`; see `compile_for`
"""

from . import cuda_api, places, targets, triton_internals
from .driver import EmulatedDriver
from .errors import DeviceAssertion, OutOfBoundsWrite, UnsupportedOnCpu
from .launch import Context
from .numpy_builder import teach_types_numpy
from .observing import Observer, Phases
from .places import is_emulated, mark
from .targets import TARGETS, compile_for, find_target

__all__ = [
    "DeviceAssertion",
    "OutOfBoundsWrite",
    "UnsupportedOnCpu",
    "Observer",
    "TARGETS",
    "compile_for",
    "find_target",
    "install",
    "is_emulated",
    "mark",
]


def install(target: str = "sm_90", *, observer: Observer, targets: tuple[str, ...] = ()) -> None:
    """Turns this process into one with the declared card. For good: there is no way back.

    `targets` names further ones: each kernel is compiled for them too, at its first launch in each specialisation.
    """
    declared = find_target(target)
    if not declared.is_nvidia:
        raise ValueError(f"'{target}' can be compiled for, but only NVIDIA cards are emulated")
    phases = Phases(observer)
    context = Context(declared, observer, phases, tuple(find_target(name).name for name in targets))
    teach_types_numpy()
    _announce_compiling(phases)
    triton_internals.active_driver.set_active(EmulatedDriver(declared, context))
    cuda_api.install(declared, context.refuse)
    places.install(context.refuse)


def _announce_compiling(phases: Phases) -> None:
    """Jit functions fetch the compiler by this name when they are first launched."""
    package, compile_source = triton_internals.compiler_package, triton_internals.compile_source

    def announced(*args, **kwargs):
        with phases("compiling"):
            return compile_source(*args, **kwargs)

    package.compile = announced
