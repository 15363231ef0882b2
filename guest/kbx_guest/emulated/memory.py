# SPDX-License-Identifier: Apache-2.0
"""Checks every access of an interpreted kernel against the live storages.

A write outside them ends the launch. A read outside them is reported once per line and gives garbage, as it does on a
card when the address happens to be mapped. The garbage is the byte 0x5A in every place: deterministic, never NaN, and
large enough in every float type (1.5e16 in float32 and bfloat16, 203 in float16) that a program which uses it fails,
while one whose garbage is masked away later passes, as on the card. A masked-off lane without `other` is no access and
reads 0: Triton's own code for NVIDIA moves 0 into the register before the predicated load.
"""

import sys

import numpy as np

from . import places
from .errors import OutOfBoundsWrite

GARBAGE_BYTE = 0x5A
USER_SCOPE = "__kbx_submission_scope__"  # set in the globals of interpreted functions that are not Triton's own


def current_line() -> int | None:
    """The line of the innermost interpreted function that belongs to the submission."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get(USER_SCOPE):
            return frame.f_lineno
        frame = frame.f_back
    return None


class Memory:
    """The memory that one launch may touch. `arguments` names the tensors given to the kernel."""

    def __init__(self, kernel: str, arguments: dict, observer):
        self._kernel = kernel
        self._observer = observer
        self._reported: set[int | None] = set()
        self._spans = [(name, *_span(tensor.untyped_storage())) for name, tensor in arguments.items()]
        self._recent = (0, 0)

    def check_read(self, pointers: np.ndarray, mask: np.ndarray, item_bytes: int) -> np.ndarray | None:
        """The lanes that read outside every storage, or None; reports them."""
        bad = self._outside(pointers, mask, item_bytes)
        if bad is None:
            return None
        line = current_line()
        if line not in self._reported:
            self._reported.add(line)
            argument, detail = self._describe(pointers[bad], item_bytes)
            self._observer.finding(
                "out_of_bounds_read",
                f"kernel '{self._kernel}'{f', argument {argument!r}' if argument else ''}: {detail}",
                line,
            )
        return bad

    def check_write(self, pointers: np.ndarray, mask: np.ndarray, item_bytes: int) -> None:
        bad = self._outside(pointers, mask, item_bytes)
        if bad is not None:
            argument, detail = self._describe(pointers[bad], item_bytes)
            error = OutOfBoundsWrite(self._kernel, current_line(), argument, detail)
            self._observer.finding("out_of_bounds_write", str(error), error.line)
            raise error

    def _outside(self, pointers: np.ndarray, mask: np.ndarray, item_bytes: int) -> np.ndarray | None:
        active = pointers if mask.all() else pointers[mask]
        if active.size == 0:
            return None
        low, high = int(active.min()), int(active.max()) + item_bytes
        if self._recent[0] <= low and high <= self._recent[1]:
            return None
        for _, start, end in self._spans:
            if start <= low and high <= end:
                self._recent = (start, end)
                return None
        # Lanes may be spread over several storages, and some may be known only by an integer address.
        starts, ends = _table(places.live_storages())
        row = np.searchsorted(starts, pointers, side="right")
        bad = mask & (pointers + np.uint64(item_bytes) > np.where(row > 0, ends[row - 1], np.uint64(0)))
        return bad if bad.any() else None

    def _describe(self, pointers: np.ndarray, item_bytes: int) -> tuple[str | None, str]:
        address = int(pointers.flat[0])
        lanes = f"{pointers.size} element{'s' if pointers.size > 1 else ''}"
        if not self._spans:
            return None, f"{lanes}, first at address {address:#x}"
        name, start, end = min(self._spans, key=lambda span: max(span[1] - address, address - span[2], 0))
        if address < start:
            where = f"{start - address} bytes before its start"
        else:
            where = f"{address + item_bytes - end} bytes past its end"
        return name, f"{lanes}, the first reaching {where} ({end - start} bytes)"


def garbage(count: int, dtype: np.dtype) -> np.ndarray:
    """What reads outside every storage yield."""
    if dtype == np.bool_:
        return np.ones(count, dtype)
    return np.full(count * dtype.itemsize, GARBAGE_BYTE, np.uint8).view(dtype)


def _span(storage) -> tuple[int, int]:
    start = storage.data_ptr()
    return start, start + storage.nbytes()


def _table(storages) -> tuple[np.ndarray, np.ndarray]:
    spans = sorted(span for span in map(_span, storages) if span[0] < span[1])
    if not spans:
        spans = [(0, 0)]
    starts, ends = np.array(spans, dtype=np.uint64).T
    # Storages can share memory (several tensors over one arena), so a row's end covers those before it.
    return starts, np.maximum.accumulate(ends)
