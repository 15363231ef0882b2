# SPDX-License-Identifier: Apache-2.0
"""Reductions, scans and mapped scalar functions.

Triton's own interpreter evaluates a combine function once for every element; here it is evaluated once for every
level of a tree, over all lanes together. The tree pairs element i with i + n/2, as a warp's shuffles do, so that a sum
rounds, and a NaN travels, much as on the card.
"""

import numpy as np

from .number_formats import decode, encode
from .semantic import FastSemantic, Tensor
from .triton_internals import TensorHandle, core, standard


class AmbiguousTruth(Exception):
    """Control flow in a scalar function depends on single elements, so that lanes must be run one by one."""


class CombineCapture:
    """Stands where Triton's code generator would: tells which function a reduction combines with."""

    def __init__(self):
        self.function = None

    def call_JitFunction(self, function, args, kwargs):
        self.function = function
        return tuple(args[: len(args) // 2])

    def take(self, build_region):
        build_region(_Region())
        return self.function


class _Region:
    """Accepts what Triton does to build the region of a combine function; the region itself is not needed."""

    def get_region(self, _):
        return self


class _Block:
    def arg(self, _):
        return None


class RegionBuilding:
    """The builder's part of `CombineCapture`: a mix-in."""

    def get_insertion_point(self):
        return None

    def restore_insertion_point(self, _):
        pass

    def create_block_with_parent(self, region, types):
        return _Block()

    def create_reduce_ret(self, *handles):
        pass

    def create_scan_ret(self, *handles):
        pass


class Semantic(FastSemantic):
    """Triton's semantics over numpy, with reductions; `call` runs a jit function on tensors."""

    def __init__(self, builder, call):
        super().__init__(builder)
        self._call = call
        self.combine_capture = CombineCapture()

    def reduction(self, inputs, axis, region_builder_fn):
        if axis is None:
            inputs = tuple(self.reshape(t, [t.numel.value], can_reorder=True) for t in inputs)
            axis = 0
        combine = self._combiner(self.combine_capture.take(region_builder_fn), inputs)
        arrays = [np.moveaxis(_full(t), axis, 0) for t in inputs]
        while arrays[0].shape[0] > 1:
            half = arrays[0].shape[0] // 2
            arrays = combine([a[:half] for a in arrays], [a[half:] for a in arrays])
        shape = [extent for i, extent in enumerate(inputs[0].type.shape) if i != axis]
        return tuple(self._wrap(a[0] if shape else a, t.type.scalar, shape) for a, t in zip(arrays, inputs))

    def associative_scan(self, inputs, axis, region_builder_fn, reverse):
        combine = self._combiner(self.combine_capture.take(region_builder_fn), inputs)
        arrays = [np.moveaxis(_full(t), axis, 0) for t in inputs]
        if reverse:
            arrays = [a[::-1] for a in arrays]
        offset = 1
        while offset < arrays[0].shape[0]:
            combined = combine([a[:-offset] for a in arrays], [a[offset:] for a in arrays])
            arrays = [np.concatenate([a[:offset], c]) for a, c in zip(arrays, combined)]
            offset *= 2
        if reverse:
            arrays = [a[::-1] for a in arrays]
        return tuple(self._wrap(np.moveaxis(a, 0, axis), t.type.scalar, t.type.shape) for a, t in zip(arrays, inputs))

    def map_scalar_function(self, function, *args, pack=1):
        """`tl.map_elementwise`: with `pack`, a call takes that many neighbouring elements of each argument."""
        tensors = self.broadcast_tensors(*(self.to_tensor(a) for a in args))
        pack = core._unwrap_if_constexpr(pack)
        lanes = [_full(t).reshape(-1, pack)[:, i] for t in tensors for i in range(pack)]
        scalars = [t.type.scalar for t in tensors for _ in range(pack)]
        results, types = self._apply(function, lanes, scalars)
        shape = tensors[0].type.shape
        packed = [np.stack(results[i : i + pack], axis=-1).reshape(shape) for i in range(0, len(results), pack)]
        out = tuple(self._wrap(a, types[i * pack], shape) for i, a in enumerate(packed))
        return out[0] if len(out) == 1 else out

    def _combiner(self, function, inputs):
        """A function of two lists of arrays, each list holding one array for each input."""
        scalars = [t.type.scalar for t in inputs]
        known = _KNOWN.get(id(function)) if len(inputs) == 1 else None
        if known is not None:
            return lambda left, right: [_apply_known(known, left[0], right[0], scalars[0])]
        return lambda left, right: self._apply(function, left + right, scalars * 2)[0]

    def _apply(self, function, arrays, scalars):
        """Runs a function of scalars over arrays of lanes. Answers with arrays and their scalar types."""
        try:
            return self._apply_once(function, arrays, scalars)
        except AmbiguousTruth:
            shape = arrays[0].shape
            flat = [a.reshape(-1) for a in arrays]
            rows = [self._apply_once(function, [a[i : i + 1] for a in flat], scalars) for i in range(flat[0].size)]
            joined = [np.concatenate(column).reshape(shape) for column in zip(*(row[0] for row in rows))]
            return joined, rows[0][1]

    def _apply_once(self, function, arrays, scalars):
        tensors = [Tensor(TensorHandle(a, ty), ty) for a, ty in zip(arrays, scalars)]
        results = self._call(function, *tensors)
        results = results if isinstance(results, (tuple, core.tuple)) else (results,)
        shape = arrays[0].shape
        return [np.broadcast_to(r.handle.data, shape) for r in results], [r.type.scalar for r in results]

    def _wrap(self, array, scalar, shape):
        handle = TensorHandle(np.ascontiguousarray(array), scalar)
        return self.tensor(handle, core.block_type(scalar, list(shape)) if shape else scalar)


def _full(tensor) -> np.ndarray:
    return np.broadcast_to(tensor.handle.data, tensor.type.shape)


def _apply_known(operation, left, right, scalar):
    values = operation(decode(left, scalar), decode(right, scalar))
    return encode(values, scalar) if scalar.is_floating() else values.astype(left.dtype, copy=False)


# fmax and fmin take the number where one side is NaN, as tl.maximum does by default; both are exact for integers.
_KNOWN = {
    id(standard._sum_combine): np.add,
    id(standard._prod_combine): np.multiply,
    id(standard._xor_combine): np.bitwise_xor,
    id(standard._or_combine): np.bitwise_or,
    id(standard._elementwise_max): np.fmax,
    id(standard._elementwise_min): np.fmin,
}
