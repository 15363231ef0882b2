# SPDX-License-Identifier: Apache-2.0
"""The only door to Triton's internals.

Nothing of this is public interface of Triton, so every name is fetched here, once, and a missing one is reported with
the versions that were checked. The rest of the package imports from this module.
"""

import importlib

CHECKED_VERSIONS = ("3.6.0",)


class MissingInternal(ImportError):
    """An internal of Triton that the emulated GPU is built on is not where it was."""


def _fetch(path: str):
    module_name, _, attribute = path.partition(":")
    try:
        found = importlib.import_module(module_name)
        for part in attribute.split(".") if attribute else ():
            found = getattr(found, part)
        return found
    except (ImportError, AttributeError) as error:
        version = importlib.import_module("triton").__version__
        raise MissingInternal(
            f"triton {version} has no {path}; the emulated GPU was checked with triton {', '.join(CHECKED_VERSIONS)}"
        ) from error


GPUTarget = _fetch("triton.backends.compiler:GPUTarget")
DriverBase = _fetch("triton.backends.driver:DriverBase")
allocation = _fetch("triton.runtime._allocation")
active_driver = _fetch("triton.runtime.driver:driver")
compiler_package = _fetch("triton.compiler")
compile_source = _fetch("triton.compiler.compiler:compile")
ASTSource = _fetch("triton.compiler.compiler:ASTSource")
OutOfResources = _fetch("triton.runtime.errors:OutOfResources")

JITFunction = _fetch("triton.runtime.jit:JITFunction")
JITCallable = _fetch("triton.runtime.jit:JITCallable")
ConstexprFunction = _fetch("triton.runtime.jit:ConstexprFunction")
BoundConstexprFunction = _fetch("triton.runtime.jit:BoundConstexprFunction")
canonicalize_dtype = _fetch("triton._utils:canonicalize_dtype")
source_file_and_line = _fetch("triton.runtime.jit:get_jit_fn_file_line")

core = _fetch("triton.language.core")
standard = _fetch("triton.language.standard")
TritonSemantic = _fetch("triton.language.semantic:TritonSemantic")
str_to_ty = _fetch("triton.language:str_to_ty")
is_builtin = _fetch("triton.language.core:is_builtin")
unwrap_if_constexpr = _fetch("triton.language.core:_unwrap_if_constexpr")
cuda_libdevice = _fetch("triton.language.extra.cuda.libdevice")
cpp_type = _fetch("triton.backends.nvidia.driver:ty_to_cpp")
LIBDEVICE_STUBS = "triton.language.extra.libdevice"

InterpreterBuilder = _fetch("triton.runtime.interpreter:InterpreterBuilder")
TensorHandle = _fetch("triton.runtime.interpreter:TensorHandle")
BlockPointerHandle = _fetch("triton.runtime.interpreter:BlockPointerHandle")
memory_access = _fetch("triton._C.libtriton:interpreter")
INPUT_PRECISION = _fetch("triton._C.libtriton:ir.INPUT_PRECISION")
PADDING_OPTION = _fetch("triton._C.libtriton:ir.PADDING_OPTION")
ROUNDING_MODE = _fetch("triton._C.libtriton:ir.ROUNDING_MODE")
ATOMIC_OP = _fetch("triton._C.libtriton:ir.ATOMIC_OP")
PROPAGATE_NAN = _fetch("triton._C.libtriton:ir.PROPAGATE_NAN")
