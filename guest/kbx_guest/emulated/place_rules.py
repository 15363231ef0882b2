# SPDX-License-Identifier: Apache-2.0
"""Functions whose result is not simply where their arguments are: moves, queries of the place, indexing, printing."""

import re

import torch

from .place_errors import DTYPES_BY_TYPE_NAME, mixing_error, type_name
from .places import (
    CARD,
    DEVICE,
    HOST_DEVICE,
    PINNED,
    _mark,
    is_card,
    is_on_card,
    mark_all,
    ordinary,
    place_of,
    special,
    survey,
)

_Tensor = torch.Tensor


@special(_Tensor.device.__get__)
def _device(func, args, kwargs):
    return DEVICE if is_on_card(args[0]) else func(*args)


@special(_Tensor.is_cuda.__get__)
def _is_cuda(func, args, kwargs):
    return is_on_card(args[0])


@special(_Tensor.is_cpu.__get__)
def _is_cpu(func, args, kwargs):
    return func(*args) and not is_on_card(args[0])


@special(_Tensor.get_device, torch.get_device)
def _get_device(func, args, kwargs):
    return 0 if is_on_card(args[0]) else func(*args, **kwargs)


@special(_Tensor.is_pinned)
def _is_pinned(func, args, kwargs):
    return place_of(args[0]) is PINNED


@special(_Tensor.pin_memory)
def _pin_memory(func, args, kwargs):
    tensor = args[0]
    place = place_of(tensor)
    if place is CARD:
        raise RuntimeError(f"cannot pin 'torch.cuda.{type_name(tensor.dtype)}' only dense CPU tensors can be pinned")
    if place is PINNED:
        return tensor
    pinned = tensor.clone()
    _mark(pinned, PINNED)
    return pinned


def move(tensor, to_card: bool, **conversion):
    """A copy in the other place; in the same place what torch's own `to` gives."""
    if to_card != is_on_card(tensor):
        conversion["copy"] = True
    moved = tensor.to(HOST_DEVICE, **conversion)
    if to_card:
        _mark(moved, CARD)
    return moved


@special(_Tensor.to)
def _to(func, args, kwargs):
    tensor, rest, kwargs = args[0], list(args[1:]), dict(kwargs)
    other = kwargs.pop("other", None) if "other" in kwargs else None
    if rest and isinstance(rest[0], torch.Tensor):
        other = rest.pop(0)
    conversion = {"copy": kwargs.pop("copy", False)}
    if other is not None:
        return move(tensor, is_on_card(other), dtype=other.dtype, **conversion)
    if len(rest) > 2 or (len(rest) == 2 and isinstance(rest[0], torch.dtype)):
        # to(dtype, non_blocking, copy) and to(device, dtype, non_blocking, copy), all by position
        flags = [value for value in rest if isinstance(value, bool)]
        rest = [value for value in rest if not isinstance(value, bool)]
        conversion["copy"] = len(flags) > 1 and flags[1]
    device, dtype, non_blocking, memory_format = torch._C._nn._parse_to(*rest, **kwargs)
    if dtype is not None:
        conversion["dtype"] = dtype
    if memory_format is not None:
        conversion["memory_format"] = memory_format
    if device is not None and device.type not in ("cpu", "cuda"):
        return func(*args, **kwargs)
    return move(tensor, is_on_card(tensor) if device is None else is_card(device), **conversion)


@special(_Tensor.cuda)
def _cuda(func, args, kwargs):
    device = args[1] if len(args) > 1 else kwargs.get("device")
    if device is not None and not is_card(device):
        raise RuntimeError(f"Invalid device, must be cuda device but got {torch.device(device)}")
    return move(args[0], True, memory_format=kwargs.get("memory_format", torch.preserve_format))


@special(_Tensor.cpu)
def _cpu(func, args, kwargs):
    return move(args[0], False, memory_format=kwargs.get("memory_format", torch.preserve_format))


@special(_Tensor.type)
def _type(func, args, kwargs):
    tensor = args[0]
    wanted = args[1] if len(args) > 1 else kwargs.get("dtype")
    if wanted is None:
        return f"torch.{'cuda.' if is_on_card(tensor) else ''}{type_name(tensor.dtype)}"
    if isinstance(wanted, torch.dtype):
        return ordinary(func, args, kwargs)
    name = wanted if isinstance(wanted, str) else f"{wanted.__module__}.{wanted.__name__}"
    dtype = DTYPES_BY_TYPE_NAME.get(name.rsplit(".", 1)[-1], tensor.dtype)
    return move(tensor, ".cuda." in name, dtype=dtype)


@special(_Tensor.type_as)
def _type_as(func, args, kwargs):
    other = args[1] if len(args) > 1 else kwargs["other"]
    return move(args[0], is_on_card(other), dtype=other.dtype)


@special(torch.as_tensor, torch.asarray)
def _as_tensor(func, args, kwargs):
    """Shares memory on the host where it can; to the card it always copies, unless the data is there already."""
    data, device = (args[0] if args else kwargs.get("data", kwargs.get("obj"))), kwargs.get("device")
    if isinstance(data, torch.Tensor):
        kwargs = {**kwargs, "device": HOST_DEVICE}
        shared = func(*args, **kwargs)
        return shared if device is None else move(shared, is_card(device))
    return _fresh(func, args, kwargs)


def _fresh(func, args, kwargs):
    def copied(*args, **kwargs):
        result = func(*args, **kwargs)
        return result.clone()

    wants_card = kwargs.get("device") is not None and is_card(kwargs["device"])
    return ordinary(copied, args, kwargs) if wants_card else ordinary(func, args, kwargs)


@special(_Tensor.numpy, _Tensor.__array__)
def _numpy(func, args, kwargs):
    if is_on_card(args[0]) and not kwargs.get("force"):
        raise TypeError(
            "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
            "memory first."
        )
    return func(*args, **kwargs)


@special(_Tensor.__dlpack_device__)
def _dlpack_device(func, args, kwargs):
    if is_on_card(args[0]):
        return torch.utils.dlpack.DLDeviceType.kDLCUDA, 0
    return func(*args, **kwargs)


def _index_tensors(index):
    if isinstance(index, torch.Tensor):
        yield index
    elif isinstance(index, (list, tuple)):
        for part in index:
            yield from _index_tensors(part)


def _check_indices(tensor, index):
    """Indices may be on the host always, on the card only for a tensor on the card."""
    if not is_on_card(tensor) and any(i.dim() and is_on_card(i) for i in _index_tensors(index)):
        raise RuntimeError("indices should be either on cpu or on the same device as the indexed tensor (cpu)")


@special(_Tensor.__getitem__)
def _getitem(func, args, kwargs):
    tensor, index = args
    _check_indices(tensor, index)
    result = func(tensor, index)
    if is_on_card(tensor):
        mark_all(result, CARD)
    return result


@special(_Tensor.__setitem__)
def _setitem(func, args, kwargs):
    tensor, index, value = args
    _check_indices(tensor, index)
    # Without index tensors this is a copy, which may cross places; with them the value must be there already.
    if isinstance(value, torch.Tensor) and value.dim() and is_on_card(value) != is_on_card(tensor):
        if any(i.dim() for i in _index_tensors(index)):
            raise mixing_error(func, (tensor, value), {}, is_on_card)
    return func(tensor, index, value)


@special(torch.broadcast_tensors)
def _broadcast(func, args, kwargs):
    return func(*args, **kwargs)


@special(torch.nn.functional.scaled_dot_product_attention)
def _attention(func, args, kwargs):
    if all(survey(args[:3], None)):
        places = ["cuda:0" if is_on_card(t) else "cpu" for t in args[:3]]
        raise RuntimeError(
            "Expected query, key, and value to have the same device type, but got query.device: "
            f"{places[0]} key.device: {places[1]} and value.device: {places[2]} instead."
        )
    return ordinary(func, args, kwargs)


@special(_Tensor.__repr__, _Tensor.__format__)
def _repr(func, args, kwargs):
    text = func(*args, **kwargs)
    if not is_on_card(args[0]) or not text.endswith(")"):
        return text
    # The device comes first among what follows the data.
    return re.sub(r"((, (size|dtype|layout|grad_fn|requires_grad|names)=[^\n]*)?\))$", r", device='cuda:0'\1", text)
