# SPDX-License-Identifier: Apache-2.0
"""What a submission's exception is called, and the part of it that is worth showing.

Nothing here is a judgement: whatever an exception says, the submission has failed. The name only tells people why.
"""

import linecache
import traceback

import torch
import triton

MAX_TEXT = 4096
MAX_FRAMES = 12


def text_of(exception):
    """The exception's text, whatever its own methods do."""
    try:
        return str(exception)[:MAX_TEXT]
    except BaseException:  # noqa: BLE001: a hostile __str__ must not end the guest
        return "(its text could not be made)"


def frames_of(exception, path):
    """The frames in the submission's own file, innermost last: 'line 12, in softmax: x = y'."""
    lines = []
    for frame in traceback.extract_tb(exception.__traceback__):
        if frame.filename == path:
            source = linecache.getline(path, frame.lineno or 0).strip()
            lines.append(f"line {frame.lineno}, in {frame.name}: {source}"[:300])
    if isinstance(exception, SyntaxError):
        lines.append(f"line {exception.lineno}: {(exception.text or '').strip()}"[:300])
    return "\n".join(lines[-MAX_FRAMES:])


def met_while_compiling(exception):
    """True when Triton's compiler was at work as the exception was raised, or one of its causes was."""
    seen = 0
    while exception is not None and seen < 8:
        for frame in traceback.extract_tb(exception.__traceback__):
            path = frame.filename.replace("\\", "/")
            if "/triton/compiler/" in path or "/triton/backends/" in path and path.endswith("compiler.py"):
                return True
        exception = exception.__cause__ or exception.__context__
        seen += 1
    return False


def verdict_of(exception, loading):
    """The verdict's name, as in src/kbx/record/record.h."""
    from .emulated import OutOfBoundsWrite, UnsupportedOnCpu

    if isinstance(exception, UnsupportedOnCpu):
        return "unsupported_on_cpu"
    if isinstance(exception, OutOfBoundsWrite):
        return "out_of_bounds_write"
    if loading and isinstance(exception, SyntaxError):
        return "syntax_error"
    if isinstance(exception, ImportError):
        return "import_error"
    if isinstance(exception, (triton.CompilationError, triton.OutOfResources)) or met_while_compiling(exception):
        return "compile_error"
    if isinstance(exception, (torch.OutOfMemoryError, MemoryError)):
        return "out_of_memory"
    if isinstance(exception, RuntimeError) and is_device_fault(text_of(exception)):
        return "device_fault"
    return "runtime_error"


def is_device_fault(text):
    """A sticky error of the device, as torch and Triton word it."""
    return "CUDA" in text and any(
        word in text for word in ("illegal", "misaligned", "unspecified launch failure", "device-side assert")
    )


def describe(exception, path, loading):
    return {
        "verdict": verdict_of(exception, loading),
        "type": type(exception).__name__[:200],
        "message": text_of(exception),
        "traceback": frames_of(exception, path),
    }
