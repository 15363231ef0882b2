# SPDX-License-Identifier: Apache-2.0
"""A launch without a GPU: Triton has compiled the kernel and calls the launcher, which interprets it.

The launcher refuses what the card's launcher refuses, in the same words, and in the same order: grid, pointers, limits
of the grid.
"""

import operator

import numpy as np
import torch

from . import places, targets
from .errors import DeviceAssertion, UnsupportedOnCpu
from .frontend import Frontend
from .memory import Memory
from .number_formats import encode, numpy_dtype
from .numpy_builder import NumpyBuilder
from .semantic import Tensor
from .triton_internals import ASTSource, TensorHandle, allocation, canonicalize_dtype, core, str_to_ty

MAX_GRID_YZ = 65535


class Context:
    """What launches share: the builder, the frontend, the observer."""

    def __init__(self, target: targets.Target, observer, phases, other_targets):
        self.target, self.observer, self.phases, self.other_targets = target, observer, phases, other_targets
        self.builder = NumpyBuilder()
        self.frontend = Frontend(self.builder)
        self.depth = 0

    def refuse(self, reason: str, cause: BaseException | None = None):
        self.observer.unsupported(reason)
        raise UnsupportedOnCpu(reason) from cause


class Launcher:
    """Made by Triton once for every compiled specialisation, called at every launch."""

    def __init__(self, source, metadata, context: Context):
        self._source, self._metadata, self._context = source, metadata, context
        if not isinstance(source, ASTSource) or source.fn.is_gluon():
            context.refuse("kernels in Gluon or given as IR cannot be interpreted")
        for name in context.other_targets:
            with context.phases("compiling"), places.suspended():
                result = targets.compile_for(source, metadata._asdict(), name)
            context.observer.target(source.fn.__name__, result)

    def __call__(
        self, grid_x, grid_y, grid_z, stream, function, packed_metadata, launch_metadata, enter_hook, exit_hook, *args
    ):
        grid = tuple(_int32(extent) for extent in (grid_x, grid_y, grid_z))
        self._allocate_scratch(grid, stream)
        types = list(self._source.signature.values())
        tensors = _accessible_tensors(types, args, self._source.fn.arg_names)
        if np.prod(grid, dtype=np.int64) <= 0:
            return
        if max(grid[1:]) > MAX_GRID_YZ:
            raise RuntimeError("Triton Error [CUDA]: invalid argument")
        self._report(grid, function)
        if enter_hook is not None:
            enter_hook(launch_metadata)
        with self._context.phases("interpreting"), places.suspended(), np.errstate(all="ignore"):
            self._interpret(grid, types, args, tensors)
        if exit_hook is not None:
            exit_hook(launch_metadata)

    def _allocate_scratch(self, grid, stream):
        """A kernel that needs workspace fails on the card where no allocator was set, and so it does here."""
        metadata = self._metadata
        for size, align, allocator in (
            (metadata.global_scratch_size, metadata.global_scratch_align, allocation._allocator),
            (metadata.profile_scratch_size, metadata.profile_scratch_align, allocation._profile_allocator),
        ):
            if size > 0:
                allocator.get()(int(np.prod(grid)) * metadata.num_ctas * size, align, stream)

    def _report(self, grid, function):
        metadata = self._metadata
        self._context.observer.launch(
            self._source.fn.__name__,
            grid,
            {
                "shared_bytes": metadata.shared,
                "registers": function.registers,
                "spills": function.spills,
                "num_warps": metadata.num_warps,
                "num_ctas": metadata.num_ctas,
            },
        )

    def _interpret(self, grid, types, args, tensors):
        context, kernel = self._context, self._source.fn
        builder = context.builder
        if context.depth:
            raise RuntimeError("a kernel was launched while another one was being interpreted")
        # Triton computes overflow checks even where, without debug, it then leaves them out.
        metadata = self._metadata
        builder.options = metadata._replace(sanitize_overflow=metadata.sanitize_overflow and metadata.debug)
        builder.memory = Memory(kernel.__name__, tensors, context.observer)
        builder.set_grid_dim(*grid)
        context.depth += 1
        try:
            context.frontend.start_launch()
            function = context.frontend.function(kernel)
            values = [self._value(ty, arg) for ty, arg in zip(types, args, strict=True)]
            for x in range(grid[0]):
                for y in range(grid[1]):
                    for z in range(grid[2]):
                        builder.grid_idx = (x, y, z)
                        function(*values)
        except (DeviceAssertion, MemoryError):
            raise
        except UnsupportedOnCpu as unsupported:
            context.refuse(f"kernel '{kernel.__name__}', line {_line_of(unsupported, kernel)}: {unsupported.reason}")
        except Exception as error:
            # The compiler accepted the kernel, so what fails here is the interpreter.
            context.refuse(f"kernel '{kernel.__name__}', line {_line_of(error, kernel)}: {error!r}", error)
        finally:
            context.depth -= 1
            builder.memory = None

    def _value(self, ty, arg):
        """An argument as the kernel sees it: of the type that it was compiled for, as C's conversion makes it."""
        if isinstance(ty, tuple):
            return core.tuple([self._value(t, a) for t, a in zip(ty, arg, strict=True)])
        if ty == "constexpr":
            return core._unwrap_if_constexpr(arg)
        if ty.startswith("tensordesc"):
            return self._descriptor(arg)
        dtype = str_to_ty(ty, None)
        if dtype.is_ptr():
            return _scalar(np.array([_address(arg)], np.uint64), dtype)
        if dtype.is_floating():
            return _scalar(encode(np.array([float(arg)]), dtype), dtype)
        stored = numpy_dtype(dtype)
        if stored == np.bool_:
            return _scalar(np.array([bool(arg)]), dtype)
        bits = stored.itemsize * 8
        return _scalar(np.array([operator.index(arg) & ((1 << bits) - 1)], f"uint{bits}").view(stored), dtype)

    def _descriptor(self, arg):
        semantic = self._context.frontend.semantic
        pointer = str_to_ty("*" + canonicalize_dtype(arg.base.dtype), None)
        base = _scalar(np.array([arg.base.data_ptr()], np.uint64), pointer)
        shape = [semantic.to_tensor(int(s)) for s in arg.shape]
        strides = [semantic.to_tensor(int(s)) for s in arg.strides[:-1]] + [core.constexpr(1)]
        return semantic.make_tensor_descriptor(
            base, shape, strides, [core.constexpr(b) for b in arg.block_shape], arg.padding
        )


def _scalar(data, dtype):
    return Tensor(TensorHandle(data, dtype), dtype)


def _int32(extent) -> int:
    extent = operator.index(extent)
    if not -(2**31) <= extent < 2**31:
        raise OverflowError(
            "signed integer is greater than maximum" if extent > 0 else "signed integer is less than minimum"
        )
    return extent


def _address(arg) -> int:
    if arg is None:
        return 0
    return arg if isinstance(arg, int) else arg.data_ptr()


def _flatten(types, args, names):
    for ty, arg, name in zip(types, args, names):
        if isinstance(ty, tuple):
            yield from _flatten(ty, arg, [f"{name}[{i}]" for i in range(len(ty))])
        else:
            yield ty, arg, name


def _accessible_tensors(types, args, names) -> dict:
    """The tensors among the arguments by name; one that the device cannot reach is refused as Triton refuses it."""
    tensors = {}
    for position, (ty, arg, name) in enumerate(_flatten(types, args, names)):
        base = getattr(arg, "base", arg)  # a reinterpreted tensor, or a descriptor
        if not isinstance(base, torch.Tensor):
            if ty[0] == "*" and arg is not None and not isinstance(arg, int) and not hasattr(arg, "data_ptr"):
                raise TypeError("Pointer argument must be either uint64 or have data_ptr method")
            continue
        if ty[0] == "*" and base.data_ptr() and not places.is_reachable(base):
            raise ValueError(f"Pointer argument (at {position}) cannot be accessed from Triton (cpu tensor?)")
        if ty != "constexpr":
            tensors[name] = base
    return tensors


def _line_of(error, kernel) -> int | None:
    line, traceback = None, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == kernel.fn.__code__.co_filename:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
