# SPDX-License-Identifier: Apache-2.0
"""Triton's interpreter builder with its gaps closed: what each operation computes, over numpy arrays.

Where the interpreter computes something else than the card, the operation is written anew here: arithmetic in bfloat16
and 8-bit floats, conversions, NaN in minimum and maximum, integer division by zero, dot products (TF32), atomics on
16-bit floats, libdevice. What remains missing raises `UnsupportedOnCpu`.

Known differences from the card that stay: a product and a sum are not fused into one rounding, `exp`, `log` and
division are correctly rounded where the card approximates to 1 or 2 units in the last place, and a dot product adds in
the order of the CPU's BLAS.
"""

import numpy as np
import torch
import triton.language as tl

from . import libdevice
from .errors import DeviceAssertion, UnsupportedOnCpu
from .memory import garbage
from .number_formats import ENCODED, convert, decode, encode, numpy_dtype, round_to_tf32
from .reductions import RegionBuilding
from .triton_internals import (
    ATOMIC_OP,
    INPUT_PRECISION,
    PADDING_OPTION,
    PROPAGATE_NAN,
    ROUNDING_MODE,
    BlockPointerHandle,
    InterpreterBuilder,
    TensorHandle,
    core,
    memory_access,
)


def _wrap(array: np.ndarray, dtype: tl.dtype) -> TensorHandle:
    return TensorHandle(array, dtype.scalar)


class NumpyBuilder(RegionBuilding, InterpreterBuilder):
    """One per process. A launch sets `options`, `memory` and the grid before it runs instances."""

    def __init__(self):
        super().__init__()
        self.memory = None

    def __getattr__(self, name):
        # Reached only for what neither this class nor Triton's interpreter has.
        if name.startswith(("create_", "get_")):
            raise UnsupportedOnCpu(f"the interpreter has no {name.removeprefix('create_')}")
        raise AttributeError(name)

    # Memory. Every access is checked before it is made.

    def create_load(self, ptr, cache_modifier, eviction_policy, is_volatile):
        return self._read(ptr, np.ones(ptr.data.shape, bool), None)

    def create_store(self, ptr, val, cache_modifier, eviction_policy):
        return self._write(ptr, val, np.ones(ptr.data.shape, bool))

    def create_masked_load(self, ptrs, mask, other, cache_modifier, eviction_policy, is_volatile):
        return self._read(ptrs, _array(mask), other)

    def create_masked_store(self, ptrs, value, mask, cache_modifier, eviction_policy):
        return self._write(ptrs, value, _array(mask))

    def _read(self, ptrs, mask, other):
        dtype = ptrs.get_element_ty()
        stored = numpy_dtype(dtype)
        mask = np.broadcast_to(mask, ptrs.data.shape)
        fill = np.zeros(ptrs.data.shape, stored) if other is None else np.broadcast_to(other.data, ptrs.data.shape)
        bad = self.memory.check_read(ptrs.data, mask, stored.itemsize)
        if bad is not None:
            mask = mask & ~bad
        result = memory_access.load(ptrs.data, mask, fill.astype(stored, copy=False), stored)
        if bad is not None:
            result[bad] = garbage(int(bad.sum()), stored)
        return TensorHandle(result, dtype)

    def _write(self, ptrs, value, mask):
        stored = numpy_dtype(ptrs.get_element_ty())
        mask = np.broadcast_to(mask, ptrs.data.shape)
        self.memory.check_write(ptrs.data, mask, stored.itemsize)
        data = np.broadcast_to(value.data, ptrs.data.shape).astype(stored, copy=False)
        return memory_access.store(ptrs.data, data, mask)

    def create_tensor_pointer_load(
        self, ptr, boundary_check, padding_option, cache_modifier, eviction_policy, is_volatile
    ):
        ptrs, mask = ptr.materialize_pointers(boundary_check)
        return self._read(ptrs, mask, _padding(ptrs, padding_option))

    def create_descriptor_load(self, desc, indices, cache_modifier, eviction_policy):
        ptrs, mask = desc.materialize_pointers(indices)
        return self._read(ptrs, mask, _padding(ptrs, desc.padding))

    def create_advance(self, ptr, offsets):
        moved = [TensorHandle(old.data + new.data, old.dtype) for old, new in zip(ptr.offsets, offsets, strict=True)]
        return BlockPointerHandle(ptr.base, ptr.shape, ptr.strides, moved, ptr.block_shape, ptr.order)

    def create_atomic_cas(self, ptr, cmp, val, sem, scope):
        self.memory.check_write(ptr.data, np.ones(ptr.data.shape, bool), cmp.data.dtype.itemsize)
        return super().create_atomic_cas(ptr, cmp, val, sem, scope)

    def create_atomic_rmw(self, rmwOp, ptr, val, mask, sem, scope):
        active = np.broadcast_to(_array(mask), ptr.data.shape)
        self.memory.check_write(ptr.data, active, val.data.dtype.itemsize)
        if val.dtype.scalar in ENCODED or val.data.dtype == np.float16:
            return self._atomic_add_small(rmwOp, ptr, val, active)
        shape = ptr.data.shape
        whole = TensorHandle(np.ascontiguousarray(np.broadcast_to(val.data, shape)), val.dtype)
        return super().create_atomic_rmw(rmwOp, ptr, whole, TensorHandle(active.copy(), tl.int1), sem, scope)

    def _atomic_add_small(self, operation, ptr, val, active):
        """Adds one lane after another, as lanes may meet in one place; C++ in Triton knows no 16-bit floats."""
        if operation != ATOMIC_OP.FADD:
            raise UnsupportedOnCpu(f"atomic {operation} on {val.dtype}")
        dtype, stored = val.dtype.scalar, numpy_dtype(val.dtype.scalar)
        values = np.broadcast_to(val.data, ptr.data.shape)
        before = np.zeros(ptr.data.shape, stored)
        one = np.ones(1, bool)
        for lane in np.ndindex(ptr.data.shape):
            if active[lane]:
                place = ptr.data[lane].reshape(1)
                old = memory_access.load(place, one, np.zeros(1, stored), stored)
                total = decode(old, dtype) + decode(values[lane].reshape(1), dtype)
                memory_access.store(place, encode(total, dtype), one)
                before[lane] = old[0]
        return TensorHandle(before, dtype)

    # Constants. Integers wrap as C does.

    def get_bf16(self, value):
        return self._encoded_constant(value, tl.bfloat16)

    def get_fp8e4nv(self, value):
        return self._encoded_constant(value, tl.float8e4nv)

    def get_fp8e5(self, value):
        return self._encoded_constant(value, tl.float8e5)

    def get_fp8e4b15(self, value):
        return self._encoded_constant(value, tl.float8e4b15)

    def _encoded_constant(self, value, dtype):
        return TensorHandle(encode(np.array([value], np.float32), dtype), dtype)

    def get_all_ones_value(self, type):
        dtype = numpy_dtype(type)
        return _wrap(np.array([True]) if dtype == np.bool_ else np.array([-1]).astype(dtype), type)

    # Conversions

    def cast_impl(self, src, dst_type):
        return _wrap(convert(src.data, src.dtype.scalar, dst_type.scalar), dst_type)

    def create_fp_to_fp(self, src, dst_type, rounding_mode):
        toward_zero = rounding_mode == ROUNDING_MODE.RTZ
        return _wrap(convert(src.data, src.dtype.scalar, dst_type.scalar, toward_zero), dst_type)

    def create_bitcast(self, src, dst_type):
        data = src.data
        target = numpy_dtype(dst_type)
        if data.dtype == np.bool_ and target != np.bool_:
            data = data.astype(np.uint8)
        return _wrap(np.ascontiguousarray(data).view(target), dst_type)

    create_int_to_ptr = create_bitcast
    create_ptr_to_int = create_bitcast

    # Arithmetic

    def binary_op(self, lhs, rhs, op):
        dtype = lhs.dtype.scalar
        if dtype in ENCODED:
            return TensorHandle(encode(op(decode(lhs.data, dtype), decode(rhs.data, rhs.dtype.scalar)), dtype), dtype)
        output = op(lhs.data, rhs.data)
        return TensorHandle(output.astype(numpy_dtype(dtype), copy=False), dtype)

    def unary_op(self, arg, op):
        dtype = arg.dtype.scalar
        return TensorHandle(encode(op(decode(arg.data, dtype)), dtype) if dtype.is_floating() else op(arg.data), dtype)

    def _compare(self, lhs, rhs, op):
        return TensorHandle(op(decode(lhs.data, lhs.dtype.scalar), decode(rhs.data, rhs.dtype.scalar)), tl.int1)

    def create_idiv(self, lhs, rhs):
        return self.binary_op(lhs, rhs, _divide)

    def create_srem(self, lhs, rhs):
        return self.binary_op(lhs, rhs, _remainder)

    create_urem = create_srem

    def create_minnumf(self, lhs, rhs):
        return self.binary_op(lhs, rhs, np.fmin)

    def create_maxnumf(self, lhs, rhs):
        return self.binary_op(lhs, rhs, np.fmax)

    def create_ashr(self, lhs, rhs):
        return self._shift(lhs, rhs, np.right_shift, signed=True)

    def create_lshr(self, lhs, rhs):
        return self._shift(lhs, rhs, np.right_shift, signed=False)

    def create_shl(self, lhs, rhs):
        return self._shift(lhs, rhs, np.left_shift, signed=lhs.data.dtype.kind == "i")

    def _shift(self, lhs, rhs, op, signed):
        """A shift by the width or more gives 0 or the sign, as PTX's shifts clamp; the amount is read as unsigned."""
        kind = lhs.data.dtype
        if kind == np.bool_:
            return self.binary_op(lhs, rhs, op)
        bits = kind.itemsize * 8
        value = lhs.data.view(f"{'' if signed else 'u'}int{bits}")
        amount = np.minimum(rhs.data.view(f"uint{rhs.data.dtype.itemsize * 8}"), 64).astype(value.dtype)
        return TensorHandle(op(value, amount).view(kind), lhs.dtype.scalar)

    def create_umulhi(self, lhs, rhs):
        bits = lhs.data.dtype.itemsize * 8
        a, b = lhs.data.view(f"uint{bits}"), rhs.data.view(f"uint{bits}")
        if bits == 64:
            high = _multiply_high_64(a, b)
        else:
            high = ((a.astype(np.uint64) * b.astype(np.uint64)) >> np.uint64(bits)).astype(a.dtype)
        return TensorHandle(high.view(lhs.data.dtype), lhs.dtype.scalar)

    def create_clampf(self, arg, lo, hi, propagate_nans):
        dtype = arg.dtype.scalar
        x, low, high = (decode(h.data, dtype) for h in (arg, lo, hi))
        if propagate_nans == PROPAGATE_NAN.ALL:
            return TensorHandle(encode(np.minimum(np.maximum(x, low), high), dtype), dtype)
        return TensorHandle(encode(np.fmin(np.fmax(x, low), high), dtype), dtype)

    def create_select(self, cond, lhs, rhs):
        return TensorHandle(np.where(cond.data, lhs.data, rhs.data), lhs.dtype.scalar)

    def create_fma(self, x, y, z):
        dtype = z.dtype.scalar
        a, b, c = (decode(h.data, dtype) for h in (x, y, z))
        wide = np.longdouble if dtype == tl.float64 else np.float64
        return TensorHandle(encode((a.astype(wide) * b + c).astype(c.dtype), dtype), dtype)

    def create_erf(self, arg):
        return self.unary_op(arg, libdevice.torch_function(torch.erf))

    def create_extern_elementwise(self, lib_name, lib_path, symbol, arguments, ret_type, is_pure):
        scalar = ret_type.scalar
        arrays = np.broadcast_arrays(*(decode(a.data, a.dtype.scalar) for a in arguments))
        return TensorHandle(libdevice.evaluate(symbol, arrays, numpy_dtype(scalar)), scalar)

    def create_inline_asm(self, *_):
        raise UnsupportedOnCpu("inline assembly")

    def create_dot_scaled(self, *_):
        raise UnsupportedOnCpu("tl.dot_scaled")

    def create_dot(self, a, b, d, input_precision, max_num_imprecise_acc):
        left, right = (decode(h.data, h.dtype.scalar) for h in (a, b))
        if left.dtype.kind in "iu":
            # Sums of products of 8-bit integers are exact in float64, where BLAS is fast.
            product = np.matmul(left.astype(np.float64), right.astype(np.float64)).astype(d.data.dtype)
            return TensorHandle(product + d.data, d.dtype.scalar)
        if left.dtype == np.float32 and a.dtype.scalar == tl.float32 and self._rounds_to_tf32(input_precision):
            left, right = round_to_tf32(left), round_to_tf32(right)
        compute = np.float64 if left.dtype == np.float64 else np.float32
        total = np.matmul(left.astype(compute), right.astype(compute)) + d.data.astype(compute)
        return TensorHandle(total.astype(d.data.dtype), d.dtype.scalar)

    def _rounds_to_tf32(self, input_precision):
        # Tensor cores have TF32 since sm_80; "tf32x3", "bf16x3" and "bf16x6" split operands and stay nearly exact.
        return input_precision == INPUT_PRECISION.TF32 and self.options.target.arch >= 80

    # Shapes

    def create_histogram(self, data, bins, mask):
        values = data.data if mask is None else data.data[np.broadcast_to(_array(mask), data.data.shape)]
        inside = values[(values >= 0) & (values < bins)]
        return TensorHandle(np.bincount(inside, minlength=bins).astype(np.int32), tl.int32)

    # Statements

    def create_assert(self, condition, message):
        if not condition.data.all():
            raise DeviceAssertion(message)

    def create_assume(self, condition):
        pass  # a promise to the optimiser, checked by nobody on a card

    def create_print(self, prefix, hex, values, isSigned):
        place = f"pid ({', '.join(map(str, self.grid_idx))}){prefix}"
        if not values:
            print(place)
        for value in values:
            shown = decode(value.data, value.dtype.scalar)
            shape = shown.shape if shown.size > 1 else ()
            for index in np.ndindex(shown.shape):
                number = f"0x{int(shown[index]):x}" if hex else shown[index]
                print(
                    f"pid ({', '.join(map(str, self.grid_idx))}) idx ({', '.join(map(str, index if shape else ()))})"
                    f"{prefix}{number}"
                )


def _array(mask) -> np.ndarray:
    return mask if isinstance(mask, np.ndarray) else mask.data


def _padding(ptrs, option):
    dtype = ptrs.get_element_ty()
    if option == PADDING_OPTION.PAD_NAN:
        return TensorHandle(encode(np.full(ptrs.data.shape, np.nan, np.float32), dtype), dtype)
    return None  # zeros, which is what no padding gives too


def _divide(a, b):
    """C's division. By zero NVIDIA gives all ones; 64-bit values that fit in 32 bits take a 32-bit path there."""
    quotient = (a - np.fmod(a, np.where(b == 0, 1, b).astype(b.dtype))) // np.where(b == 0, 1, b).astype(b.dtype)
    ones = np.array(-1).astype(a.dtype)
    if a.dtype.itemsize == 8:
        ones = np.where((a >= 0) & (a < 2**32), np.array(0xFFFFFFFF).astype(a.dtype), ones)
    return np.where(b == 0, ones, quotient)


def _remainder(a, b):
    return np.where(b == 0, a, np.fmod(a, np.where(b == 0, 1, b).astype(b.dtype)))


def _multiply_high_64(a, b):
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    a_high, a_low, b_high, b_low = a >> half, a & low, b >> half, b & low
    cross = a_high * b_low + ((a_low * b_low) >> half)
    other = a_low * b_high + (cross & low)
    return a_high * b_high + (cross >> half) + (other >> half)


def _add_comparisons():
    ops = {
        "LT": np.less,
        "LE": np.less_equal,
        "GT": np.greater,
        "GE": np.greater_equal,
        "EQ": np.equal,
        "NE": np.not_equal,
    }
    for name, op in ops.items():
        for prefix in ("icmpS", "icmpU", "icmp", "fcmpO", "fcmpU"):
            setattr(NumpyBuilder, f"create_{prefix}{name}", lambda self, lhs, rhs, op=op: self._compare(lhs, rhs, op))


def _add_boolean_arithmetic():
    """On one bit, + and - are exclusive or and * is and; numpy's + on booleans is or."""
    for name, op, bits in (
        ("add", np.add, np.logical_xor),
        ("sub", np.subtract, np.logical_xor),
        ("mul", np.multiply, np.logical_and),
    ):
        setattr(
            NumpyBuilder,
            f"create_{name}",
            lambda self, lhs, rhs, op=op, bits=bits: self.binary_op(
                lhs, rhs, bits if lhs.data.dtype == np.bool_ else op
            ),
        )


_add_comparisons()
_add_boolean_arithmetic()


def teach_types_numpy() -> None:
    """Types given to this builder stay what they are; Triton's own lowering forgets whether an integer has a sign."""
    lower = core.dtype.to_ir

    def to_ir(self, builder):
        return self if isinstance(builder, NumpyBuilder) else lower(self, builder)

    core.dtype.to_ir = to_ir
