# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's libdevice over numpy: what `create_extern_elementwise` computes for a symbol.

A symbol is `__nv_<stem>` for double or `__nv_<stem>f` for float. Functions that numpy lacks come from torch.
"""

import numpy as np
import torch

from .errors import UnsupportedOnCpu


def evaluate(symbol: str, arguments: list[np.ndarray], result: np.dtype) -> np.ndarray:
    stem = symbol.removeprefix("__nv_")
    function = _FUNCTIONS.get(stem)
    if function is None and stem.endswith("f"):
        function = _FUNCTIONS.get(stem[:-1])
    if function is None:
        raise UnsupportedOnCpu(f"libdevice function {symbol}")
    return np.asarray(function(*arguments)).astype(result, copy=False)


def torch_function(function):
    """A torch function of one tensor as a function of one array."""

    def apply(array):
        return function(torch.from_numpy(np.array(array, order="C"))).numpy()

    return apply


def _round_half_away(x):
    return np.copysign(np.floor(np.abs(x) + x.dtype.type(0.5)), x)


def _bits(integer):
    return lambda x: np.ascontiguousarray(x).view(integer)


def _to_integer(rounding, low_bits):
    info = np.iinfo(f"int{low_bits}")

    def convert(x):
        rounded = rounding(x.astype(np.float64))
        return np.where(np.isnan(rounded), 0, np.clip(rounded, info.min, info.max))

    return convert


def _population_count(x):
    return np.bitwise_count(x.view(f"uint{x.itemsize * 8}"))


def _leading_zeros(x):
    bits = x.itemsize * 8
    value, count = x.view(f"uint{bits}").copy(), np.zeros(x.shape, np.int32)
    for _ in range(bits):
        top = (value >> (bits - 1)) & 1
        open_ = (count == _) & (top == 0)
        count += open_
        value = value << 1
    return count


def _reverse_bits(x):
    bits = x.itemsize * 8
    value = x.view(f"uint{bits}")
    result = np.zeros_like(value)
    for i in range(bits):
        result |= ((value >> i) & 1) << (bits - 1 - i)
    return result.view(x.dtype)


def _multiply_high(a, b):
    return (a.astype(object) * b.astype(object)) >> (a.itemsize * 8)


def _degrees(function):
    return lambda x: function(x * np.pi)


_t = torch.special

_FUNCTIONS = {
    "abs": np.abs,
    "llabs": np.abs,
    "fabs": np.abs,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "copysign": np.copysign,
    "cos": np.cos,
    "cosh": np.cosh,
    "cospi": _degrees(np.cos),
    "exp": np.exp,
    "exp2": np.exp2,
    "exp10": lambda x: np.power(x.dtype.type(10), x),
    "expm1": np.expm1,
    "fdim": lambda a, b: np.fmax(a - b, 0),
    "floor": np.floor,
    "fma": lambda a, b, c: a.astype(np.longdouble) * b + c,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "fmod": np.fmod,
    "hypot": np.hypot,
    "ilogb": lambda x: np.frexp(x)[1] - 1,
    "isfinited": np.isfinite,
    "finite": np.isfinite,
    "isinf": np.isinf,
    "isinfd": np.isinf,
    "isnan": np.isnan,
    "isnand": np.isnan,
    "ldexp": np.ldexp,
    "scalbn": np.ldexp,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "logb": lambda x: np.frexp(x)[1] - 1,
    "max": np.maximum,
    "min": np.minimum,
    "umax": np.maximum,
    "umin": np.minimum,
    "llmax": np.maximum,
    "llmin": np.minimum,
    "ullmax": np.maximum,
    "ullmin": np.minimum,
    "mulhi": _multiply_high,
    "umulhi": _multiply_high,
    "mul64hi": _multiply_high,
    "umul64hi": _multiply_high,
    "nearbyint": np.rint,
    "rint": np.rint,
    "nextafter": np.nextafter,
    "pow": np.power,
    "powi": np.power,
    "rcbrt": lambda x: 1 / np.cbrt(x),
    "remainder": lambda a, b: a - np.rint(a / b) * b,
    "round": _round_half_away,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "signbit": np.signbit,
    "signbitd": np.signbit,
    "sin": np.sin,
    "sinh": np.sinh,
    "sinpi": _degrees(np.sin),
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
    "popc": _population_count,
    "popcll": _population_count,
    "clz": _leading_zeros,
    "clzll": _leading_zeros,
    "brev": _reverse_bits,
    "brevll": _reverse_bits,
    "ffs": lambda x: np.where(x == 0, 0, _population_count(x ^ (x - 1))),
    "ffsll": lambda x: np.where(x == 0, 0, _population_count(x ^ (x - 1))),
    "sad": lambda a, b, c: np.abs(a.astype(np.int64) - b) + c,
    "usad": lambda a, b, c: np.abs(a.astype(np.int64) - b) + c,
    "mul24": np.multiply,
    "umul24": np.multiply,
    "hadd": lambda a, b: (a.astype(np.int64) + b) >> 1,
    "rhadd": lambda a, b: (a.astype(np.int64) + b + 1) >> 1,
    "erf": torch_function(torch.erf),
    "erfc": torch_function(torch.erfc),
    "erfinv": torch_function(torch.erfinv),
    "erfcx": torch_function(_t.erfcx),
    "erfcinv": lambda x: torch_function(torch.erfinv)(1 - x),
    "normcdf": torch_function(_t.ndtr),
    "normcdfinv": torch_function(_t.ndtri),
    "lgamma": torch_function(torch.lgamma),
    "tgamma": lambda x: _gamma(x),
    "j0": torch_function(_t.bessel_j0),
    "j1": torch_function(_t.bessel_j1),
    "y0": torch_function(_t.bessel_y0),
    "y1": torch_function(_t.bessel_y1),
    "cyl_bessel_i0": torch_function(_t.i0),
    "cyl_bessel_i1": torch_function(_t.i1),
    "norm3d": lambda a, b, c: np.sqrt(a * a + b * b + c * c),
    "norm4d": lambda a, b, c, d: np.sqrt(a * a + b * b + c * c + d * d),
    "rhypot": lambda a, b: 1 / np.hypot(a, b),
    "rnorm3d": lambda a, b, c: 1 / np.sqrt(a * a + b * b + c * c),
    "saturate": lambda x: np.fmin(np.fmax(x, 0), 1),
    "rnorm4d": lambda a, b, c, d: 1 / np.sqrt(a * a + b * b + c * c + d * d),
    "llrint": _to_integer(np.rint, 64),
    "lrint": _to_integer(np.rint, 64),
    "llround": _to_integer(_round_half_away, 64),
    "lround": _to_integer(_round_half_away, 64),
    "float_as_int": _bits(np.int32),
    "float_as_uint": _bits(np.uint32),
    "int_as_float": _bits(np.float32),
    "uint_as_float": _bits(np.float32),
    "double_as_longlong": _bits(np.int64),
    "longlong_as_double": _bits(np.float64),
}


def _gamma(x):
    magnitude = np.exp(torch_function(torch.lgamma)(x))
    odd_interval = (x < 0) & (np.floor(x) % 2 != 0)
    return np.where(odd_interval, -magnitude, magnitude)


# Explicitly rounded arithmetic and conversions: __nv_fadd_rn, __nv_float2int_rz, __nv_int2float_rn and the like. What
# numpy cannot round otherwise is computed to nearest; the difference is one unit in the last place.
_ROUNDINGS = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}
_FAST = {
    "sinf": "sin",
    "cosf": "cos",
    "tanf": "tan",
    "expf": "exp",
    "exp10f": "exp10",
    "logf": "log",
    "log2f": "log2",
    "log10f": "log10",
    "powf": "pow",
}


def _add_families():
    for fast, plain in _FAST.items():
        _FUNCTIONS[f"fast_{fast}"] = _FUNCTIONS[plain]
    _FUNCTIONS["fast_fdividef"] = np.divide
    for suffix, rounding in _ROUNDINGS.items():
        for kind in ("f", "d"):
            _FUNCTIONS[f"{kind}add_{suffix}"] = np.add
            _FUNCTIONS[f"{kind}sub_{suffix}"] = np.subtract
            _FUNCTIONS[f"{kind}mul_{suffix}"] = np.multiply
            _FUNCTIONS[f"{kind}div_{suffix}"] = np.divide
            _FUNCTIONS[f"{kind}rcp_{suffix}"] = np.reciprocal
            _FUNCTIONS[f"{kind}sqrt_{suffix}"] = np.sqrt
        _FUNCTIONS[f"frsqrt_{suffix}"] = _FUNCTIONS["rsqrt"]
        _FUNCTIONS[f"fma_{suffix}"] = _FUNCTIONS[f"fmaf_{suffix}"] = _FUNCTIONS["fma"]
        for source in ("float", "double"):
            for name, bits in (("int", 32), ("ll", 64)):
                _FUNCTIONS[f"{source}2{name}_{suffix}"] = _to_integer(rounding, bits)
            for name, bits in (("uint", 32), ("ull", 64)):
                _FUNCTIONS[f"{source}2{name}_{suffix}"] = _to_unsigned(rounding, bits)
        for source in ("int", "uint", "ll", "ull", "double"):
            _FUNCTIONS[f"{source}2float_{suffix}"] = lambda x: x
            _FUNCTIONS[f"{source}2double_{suffix}"] = lambda x: x


def _to_unsigned(rounding, bits):
    top = float(np.iinfo(f"uint{bits}").max)

    def convert(x):
        rounded = np.nan_to_num(rounding(x.astype(np.float64)), nan=0.0, posinf=top)
        return np.clip(rounded, 0, np.nextafter(top, 0) if bits == 64 else top)

    return convert


_add_families()
