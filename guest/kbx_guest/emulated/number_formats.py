# SPDX-License-Identifier: Apache-2.0
"""Number formats that numpy lacks, and conversions as the card makes them.

bfloat16 and the 8-bit floats are stored as unsigned integers, as in Triton's interpreter; arithmetic on them decodes,
computes in float32 and rounds back, which is what the card does for an operation in the declared type. Conversions
from float to integer saturate and map NaN as PTX's `cvt.rzi` does (readings on an H200 agree, see the tests).
"""

import functools

import numpy as np
import triton.language as tl

ENCODED = frozenset({tl.bfloat16, tl.float8e5, tl.float8e5b16, tl.float8e4nv, tl.float8e4b8, tl.float8e4b15})

_STORED = {
    name: np.dtype(stored)
    for name, stored in {
        "int1": bool,
        "int8": "int8",
        "int16": "int16",
        "int32": "int32",
        "int64": "int64",
        "uint8": "uint8",
        "uint16": "uint16",
        "uint32": "uint32",
        "uint64": "uint64",
        "fp16": "float16",
        "fp32": "float32",
        "fp64": "float64",
        "bf16": "uint16",
        "fp8e5": "uint8",
        "fp8e5b16": "uint8",
        "fp8e4nv": "uint8",
        "fp8e4b8": "uint8",
        "fp8e4b15": "uint8",
    }.items()
}
_POINTER = np.dtype(np.uint64)


def numpy_dtype(dtype: tl.dtype) -> np.dtype:
    """How a type is stored. (Triton's own answer to this costs more than most operations.)"""
    scalar = dtype.scalar
    return _POINTER if scalar.is_ptr() else _STORED[scalar.name]


def decode(data: np.ndarray, dtype: tl.dtype) -> np.ndarray:
    """The values of an encoded type as float32; data of any other type as it is."""
    if dtype not in ENCODED:
        return data
    if dtype == tl.bfloat16:
        return (data.astype(np.uint32) << 16).view(np.float32)
    return _fp8_values(dtype.name)[data]


def encode(values: np.ndarray, dtype: tl.dtype, toward_zero: bool = False) -> np.ndarray:
    """Floats rounded to `dtype`: to nearest even, or toward zero."""
    if dtype == tl.bfloat16:
        return _to_bfloat16(values.astype(np.float32, copy=False), toward_zero)
    if dtype in ENCODED:
        return _to_fp8(values.astype(np.float32, copy=False), dtype.name, toward_zero)
    rounded = values.astype(numpy_dtype(dtype), copy=False)
    if toward_zero and rounded.itemsize < values.itemsize:
        away = np.abs(rounded) > np.abs(values)
        rounded = np.where(away, np.nextafter(rounded, rounded.dtype.type(0)), rounded)
    return rounded


def convert(data: np.ndarray, source: tl.dtype, target: tl.dtype, toward_zero: bool = False) -> np.ndarray:
    """A value conversion between two scalar types, both given as stored."""
    if source == target:
        return data
    if not source.is_floating() and not target.is_floating():
        return data.astype(numpy_dtype(target))
    values = decode(data, source)
    if target.is_floating():
        return encode(values if source.is_floating() else _int_to_float(values, target), target, toward_zero)
    return _float_to_int(values, np.dtype(numpy_dtype(target)), source_is_double=source == tl.float64)


def round_to_tf32(values: np.ndarray) -> np.ndarray:
    """What a tensor core reads of a float32: the mantissa's low 13 bits are dropped, not rounded.

    Read on an H200 with Triton 3.6 (both wgmma and mma.sync): Triton emits no `cvt.rna.tf32`, and 1 + 3/2 ulp gives
    1 + 1 ulp, where rounding to nearest would give 1 + 2 ulp.
    """
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    return (bits & np.uint32(0xFFFFE000)).view(np.float32)


def _int_to_float(values: np.ndarray, target: tl.dtype) -> np.ndarray:
    return values.astype(np.float64 if target == tl.float64 else np.float32)


def _float_to_int(values: np.ndarray, target: np.dtype, source_is_double: bool) -> np.ndarray:
    """Truncates and saturates in at least 16 bits, then keeps the low bits: PTX has no 8-bit conversion."""
    if target == np.bool_:
        return values != 0
    bits = max(16, target.itemsize * 8)
    unsigned = target.kind == "u"
    wide = np.dtype(f"{'u' if unsigned else ''}int{bits}")
    info = np.iinfo(wide)
    if bits < 64:
        result = np.clip(np.trunc(values.astype(np.float64)), info.min, info.max)
        result = np.where(np.isnan(values), 0, result).astype(wide)
    else:
        inside = (values > float(info.min)) & (values < float(info.max))
        result = np.where(inside, values, 0).astype(wide)
        result = np.where(values >= float(info.max), wide.type(info.max), result)
        result = np.where(values <= float(info.min), wide.type(info.min), result)
    if source_is_double or bits == 64:
        result = np.where(np.isnan(values), wide.type(1 << (bits - 1)) if unsigned else wide.type(info.min), result)
    return result.astype(target)


def _to_bfloat16(values: np.ndarray, toward_zero: bool) -> np.ndarray:
    bits = np.ascontiguousarray(values).view(np.uint32)
    if not toward_zero:
        bits = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    rounded = (bits >> np.uint32(16)).astype(np.uint16).reshape(values.shape)
    return np.where(np.isnan(values), np.uint16(0x7FFF), rounded)


# name: exponent bits, mantissa bits, bias, codes of the positive half that are not finite numbers
_FP8 = {
    "fp8e5": (5, 2, 15, range(0x7C, 0x80)),
    "fp8e5b16": (5, 2, 16, ()),
    "fp8e4nv": (4, 3, 7, (0x7F,)),
    "fp8e4b8": (4, 3, 8, ()),
    "fp8e4b15": (4, 3, 15, ()),
}
_NEGATIVE_ZERO_IS_NAN = frozenset({"fp8e5b16", "fp8e4b8"})


@functools.cache
def _fp8_values(name: str) -> np.ndarray:
    _, mantissa_bits, bias, special = _FP8[name]
    codes = np.arange(128)
    exponent, mantissa = codes >> mantissa_bits, codes & ((1 << mantissa_bits) - 1)
    fraction = mantissa / (1 << mantissa_bits)
    positive = np.where(exponent == 0, np.ldexp(fraction, 1 - bias), np.ldexp(1 + fraction, exponent - bias))
    for code in special:
        positive[code] = np.nan
    if name == "fp8e5":
        positive[0x7C] = np.inf
    values = np.concatenate([positive, -positive]).astype(np.float32)
    if name in _NEGATIVE_ZERO_IS_NAN:
        values[0x80] = np.nan
    return values


def _to_fp8(values: np.ndarray, name: str, toward_zero: bool) -> np.ndarray:
    """Saturating, as the card's `cvt.rn.satfinite` is."""
    positive = _fp8_values(name)[:128]
    finite = positive[np.isfinite(positive)].astype(np.float64)
    magnitude = np.minimum(np.abs(values.astype(np.float64)), finite[-1])
    magnitude = np.where(np.isnan(magnitude), 0, magnitude)
    below = np.searchsorted(finite, magnitude, side="right") - 1
    above = np.minimum(below + 1, finite.size - 1)
    middle = (finite[below] + finite[above]) / 2
    up = (magnitude > middle) | ((magnitude == middle) & (below % 2 == 1))
    code = np.where(up & (not toward_zero), above, below).astype(np.uint8)
    signed = code | (np.signbit(values).astype(np.uint8) << np.uint8(7))
    if name in _NEGATIVE_ZERO_IS_NAN:
        signed = np.where(code == 0, np.uint8(0), signed)
        return np.where(np.isnan(values), np.uint8(0x80), signed)
    return np.where(np.isnan(values), np.uint8(0x7F), signed)
