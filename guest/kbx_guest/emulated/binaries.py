# SPDX-License-Identifier: Apache-2.0
"""Registers and spills, read from the compiled binary: from a cubin's ELF notes, or from the text of AMD assembly."""

import re
import struct

# Attributes of a section .nv.info, as cuobjdump and ptxas -v name them.
_FORMAT_SIZED_VALUE = 4
_REGISTER_COUNT = 0x2F
_FRAME_BYTES = 0x11
_BYTES_A_SPILL = 4  # Triton counts spills in 32-bit registers: bytes of the local frame over 4


def cubin_use(cubin: bytes, kernel: str) -> tuple[int | None, int | None]:
    """(registers, spills) of a kernel; None where the cubin does not say."""
    sections = _sections(cubin)
    names = _symbol_names(cubin, sections)
    registers = frame = None
    for attribute, symbol, value in _attributes(sections.get(".nv.info", b"")):
        if names.get(symbol) == kernel and attribute == _REGISTER_COUNT:
            registers = value
        if names.get(symbol) == kernel and attribute == _FRAME_BYTES:
            frame = value
    return registers, None if frame is None else frame // _BYTES_A_SPILL


def amdgcn_use(assembly: str) -> tuple[int | None, int | None]:
    registers = re.search(r"\.vgpr_count:\s*(\d+)", assembly)
    spills = re.search(r"\.vgpr_spill_count:\s*(\d+)", assembly)
    return tuple(int(found.group(1)) if found else None for found in (registers, spills))


def _sections(elf: bytes) -> dict[str, bytes]:
    (table,) = struct.unpack_from("<Q", elf, 40)
    entry_bytes, count, names_index = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + i * entry_bytes) for i in range(count)]
    content = [elf[offset : offset + size] for _, _, _, _, offset, size in headers]
    return {_text_at(content[names_index], header[0]): data for header, data in zip(headers, content)}


def _symbol_names(elf: bytes, sections: dict[str, bytes]) -> dict[int, str]:
    symbols, strings = sections.get(".symtab", b""), sections.get(".strtab", b"")
    return {i: _text_at(strings, struct.unpack_from("<I", symbols, 24 * i)[0]) for i in range(len(symbols) // 24)}


def _attributes(info: bytes):
    """(attribute, symbol, value) of every entry that holds two words."""
    at = 0
    while at + 4 <= len(info):
        form, attribute, size = struct.unpack_from("<BBH", info, at)
        at += 4
        if form != _FORMAT_SIZED_VALUE:
            continue
        if size == 8:
            yield attribute, *struct.unpack_from("<II", info, at)
        at += size


def _text_at(strings: bytes, start: int) -> str:
    return strings[start : strings.index(b"\0", start)].decode()
