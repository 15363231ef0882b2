# SPDX-License-Identifier: Apache-2.0
"""What torch says when places are mixed. The wording, and which argument it blames, were read from torch 2.11 on a
card; an operation that is not listed speaks as elementwise operations do."""

import torch

_GENERIC = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"

# Python name: (method of the CUDA backend, names of its tensor arguments in the order of the Python call)
_METHODS = {
    "mm": ("mm", ("self", "mat2")),
    "matmul": ("mm", ("self", "mat2")),
    "__matmul__": ("mm", ("self", "mat2")),
    "einsum": ("bmm", ("self", "mat2")),
    "bmm": ("bmm", ("self", "mat2")),
    "dot": ("_dot", ("self", "tensor")),
    "addmm": ("addmm", ("self", "mat1", "mat2")),
    "linear": ("mm", ("self", "mat2")),
    "cat": ("cat", ("tensors",)),
    "concat": ("cat", ("tensors",)),
    "stack": ("cat", ("tensors",)),
    "index_select": ("_index_select", ("self", "index")),
    "embedding": ("_index_select", ("index", "self")),
    "gather": ("gather", ("self", "index")),
    "scatter": ("scatter__src", ("self", "index", "src")),
    "scatter_": ("scatter__src", ("self", "index", "src")),
    "equal": ("_equal", ("self", "other")),
    "layer_norm": ("_native_layer_norm", ("self", "weight", "bias")),
    "batch_norm": ("_native_batch_norm", ("self", "running_mean", "running_var", "weight", "bias")),
    "cross_entropy": ("nll_loss_forward", ("self", "target")),
    "nll_loss": ("nll_loss_forward", ("self", "target")),
    "searchsorted": ("Tensor_searchsorted", ("sorted_sequence", "self")),
}
_CONVOLUTIONS = ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")


def mixing_error(func, args, kwargs, is_on_card) -> RuntimeError:
    name = getattr(func, "__name__", "")
    tensors = list(_tensors((*args, *kwargs.values())))
    if name in _CONVOLUTIONS:
        kinds = [f"torch.{'cuda.' if is_on_card(t) else ''}{type_name(t.dtype)}" for t in tensors[:2]]
        return RuntimeError(f"Input type ({kinds[0]}) and weight type ({kinds[1]}) should be the same")
    if name in ("masked_fill", "masked_fill_"):
        places = [place_name(t, is_on_card) for t in tensors[:2]]
        return RuntimeError(
            f"expected self and mask to be on the same device, but got mask on {places[1]} and self on {places[0]}"
        )
    if name not in _METHODS:
        return RuntimeError(_GENERIC)
    method, names = _METHODS[name]
    names = names if len(names) > 1 else names * len(tensors)
    # Torch compares with the first tensor it meets, which for `embedding` is the weight.
    order = sorted(zip(names, tensors), key=lambda pair: pair[0] != "self")
    first = place_name(order[0][1], is_on_card)
    blamed, place = next(
        ((n, place_name(t, is_on_card)) for n, t in order if place_name(t, is_on_card) != first), ("self", first)
    )
    return RuntimeError(
        f"Expected all tensors to be on the same device, but got {blamed} is on {place}, different "
        f"from other tensors on {first} (when checking argument in method wrapper_CUDA_{method})"
    )


def place_name(tensor, is_on_card) -> str:
    return "cuda:0" if is_on_card(tensor) else "cpu"


_TYPE_NAMES = {
    torch.float32: "FloatTensor",
    torch.float64: "DoubleTensor",
    torch.float16: "HalfTensor",
    torch.bfloat16: "BFloat16Tensor",
    torch.int8: "CharTensor",
    torch.uint8: "ByteTensor",
    torch.int16: "ShortTensor",
    torch.int32: "IntTensor",
    torch.int64: "LongTensor",
    torch.bool: "BoolTensor",
    torch.complex64: "ComplexFloatTensor",
    torch.complex128: "ComplexDoubleTensor",
}
DTYPES_BY_TYPE_NAME = {name: dtype for dtype, name in _TYPE_NAMES.items()}


def type_name(dtype: torch.dtype) -> str:
    return _TYPE_NAMES.get(dtype, "Tensor")


def _tensors(values):
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)
