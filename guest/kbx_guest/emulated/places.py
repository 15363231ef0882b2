# SPDX-License-Identifier: Apache-2.0
"""Where a tensor is: on the host or on the emulated card. All memory is the CPU's; the place is a mark on the storage.

A mark on the storage, not on the tensor, is what makes this exact: every view, alias, `.data`, saved tensor of autograd
and parameter over the same memory is in the same place, whoever made it, and the mark dies with the memory (torch keeps
a storage's Python object alive as long as the storage itself). A `TorchFunctionMode` sees every call of torch's Python
interface: it takes `cuda` out of the arguments, refuses a mixing of places in torch's words, and marks results.

Calls made by C++ are not seen. The one place where that matters is autograd's engine, whose new gradients are marked
where Python meets them (`.grad`, `torch.autograd.grad`, a custom function's `backward`).
"""

import contextlib
import re
import weakref

import torch
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack
from torch.utils import _device as default_device

from .errors import UnsupportedOnCpu
from .place_errors import mixing_error

CARD = "cuda"  # values of a storage's mark; None is ordinary host memory
PINNED = "pinned"
DEVICE = torch.device("cuda", 0)
HOST_DEVICE = torch.device("cpu")

_live: dict[int, weakref.ref] = {}
suspended = torch._C.DisableTorchFunction  # a context in which torch works as if nothing were emulated


def mark(tensor: torch.Tensor) -> torch.Tensor:
    """Places a tensor's memory on the emulated card. Answers with the tensor."""
    with suspended():
        _mark(tensor, CARD)
    return tensor


def is_emulated(tensor: torch.Tensor) -> bool:
    with suspended():
        return place_of(tensor) is CARD


def is_reachable(tensor: torch.Tensor) -> bool:
    """Whether a kernel can use the tensor's memory: pinned host memory can be, too."""
    with suspended():
        return place_of(tensor) is not None


def live_storages() -> list:
    """Every storage that a kernel may touch."""
    return [storage for reference in list(_live.values()) if (storage := reference()) is not None]


def place_of(tensor):
    try:
        return tensor.untyped_storage()._kbx_place
    except (NotImplementedError, RuntimeError):
        return _place_without_storage(tensor)


def _place_without_storage(tensor):
    if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        return place_of(torch._C._functorch.get_unwrapped(tensor))
    return tensor.__dict__.get("_kbx_place")  # sparse layouts


def _mark(tensor, place):
    try:
        storage = tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):
        if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
            _mark(torch._C._functorch.get_unwrapped(tensor), place)
        else:
            tensor._kbx_place = place
        return
    if storage._kbx_place is not place:
        storage._kbx_place = place
        key = id(storage)
        _live[key] = weakref.ref(storage, lambda _: _live.pop(key, None))


def is_card(device) -> bool:
    """Whether a `device=` argument means the emulated card. An index that no card has is refused."""
    if isinstance(device, str):
        if not device.startswith("cuda"):
            return False
        device = torch.device(device)
    elif isinstance(device, int) and not isinstance(device, bool):
        device = torch.device("cuda", device)
    if not isinstance(device, torch.device) or device.type != "cuda":
        return False
    if device.index not in (None, 0):
        raise torch.AcceleratorError(
            "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs?"
        )
    return True


class PlaceMode(TorchFunctionMode):
    """The emulated card, seen from torch's Python interface."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        handler = _SPECIAL.get(func)
        if handler is not None:
            return handler(func, args, kwargs or {})
        return ordinary(func, args, kwargs or {})


mode = PlaceMode()


@contextlib.contextmanager
def active():
    """The mode, where it is not active already: in a new thread, or in Python code that autograd's engine calls."""
    if any(m is mode for m in _get_current_function_mode_stack()):
        yield
    else:
        with mode:
            yield


def ordinary(func, args, kwargs):
    """Any function: results are where the tensors among the arguments are, or where `device=` says."""
    place, kwargs = _wanted_place(func, kwargs)
    card, host = survey(args, kwargs)
    if card and host:
        if getattr(func, "__name__", "") not in _MIXING:
            raise mixing_error(func, args, kwargs, is_on_card)
        card = is_on_card(args[0])
    if "generator" in kwargs:
        _check_generator(kwargs["generator"], place if place is not None else CARD if card else None)
    on_card = place is CARD or (place is None and card)
    try:
        result = func(*args, **kwargs)
    except (RuntimeError, NotImplementedError) as error:
        if on_card and _LACKING.search(str(error)):
            _refuse(f"torch's {getattr(func, '__name__', func)}: {error}", error)
        raise
    if on_card:
        mark_all(result, CARD)
    elif place is PINNED:
        mark_all(result, PINNED)
    return result


# An operator that the CPU lacks. 16-bit floats are named because a card has nearly everything in them; what is missing
# for other types is mostly missing on the card as well.
_LACKING = re.compile(
    r"not implemented on the CPU|not implemented for '(Half|BFloat16|ComplexHalf)'"
    r"|Could not run '.*' with arguments from the 'CPU'|only supported (on|for) CUDA"
)


_ON_HOST = "host"  # asked for by `device=`


def _wanted_place(func, kwargs):
    """(CARD, _ON_HOST, PINNED or None where nothing is said, the arguments without the card)."""
    device = kwargs.get("device")
    if device is None and default_device.CURRENT_DEVICE is not None and func in default_device._device_constructors():
        device = default_device.CURRENT_DEVICE
    if device is not None:
        if is_card(device):
            return CARD, {**kwargs, "device": HOST_DEVICE, **_unpinned(kwargs)}
        if torch.device(device).type == "cpu" and not kwargs.get("pin_memory"):
            return _ON_HOST, kwargs
    if kwargs.get("pin_memory"):
        return PINNED, {**kwargs, "pin_memory": False}
    return None, kwargs


def _unpinned(kwargs):
    if kwargs.get("pin_memory"):
        raise RuntimeError("Only dense CPU tensors can be pinned")
    return {}


def survey(args, kwargs) -> tuple[bool, bool]:
    """(is any tensor on the card, is any on the host that is not a plain number)."""
    card = host = False
    for value in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(value, torch.Tensor):
            if place_of(value) is CARD:
                card = True
            elif not host and value.dim() and value.device.type == "cpu":
                host = True
        elif isinstance(value, (list, tuple)):
            inner = survey(value, None)
            card, host = card or inner[0], host or inner[1]
    return card, host


def is_on_card(tensor) -> bool:
    return place_of(tensor) is CARD


def mark_all(result, place):
    if isinstance(result, torch.Tensor):
        if result.device.type == "cpu":
            _mark(result, place)
    elif isinstance(result, (list, tuple)):
        for item in result:
            mark_all(item, place)
    elif isinstance(result, dict):
        mark_all(list(result.values()), place)


# Functions that take tensors of both places: they copy, look at shapes only, or read indices and lengths. What they
# answer with is where their first argument is.
_MIXING = frozenset(
    {
        "copy_",
        "__set__",
        "__setstate__",
        "set_",
        "new_tensor",
        "expand_as",
        "view_as",
        "reshape_as",
        "result_type",
        "can_cast",
        "promote_types",
        "is_same_size",
        "tensor_split",
        "pack_padded_sequence",
        "_pack_padded_sequence",
        "backward",
        "module_load",
        "is_set_to",
        "index_put_",
        "index_put",
        "_foreach_copy_",
        "_has_compatible_shallow_copy_type",
    }
)


def _check_generator(generator, place):
    if generator is None:
        return
    wanted = "cuda" if place is CARD else "cpu"
    if generator.device.type != wanted:
        raise RuntimeError(f"Expected a '{wanted}' device type for generator but found '{generator.device.type}'")


_SPECIAL: dict = {}


def special(*functions):
    """Registers a handler `(func, args, kwargs)` for functions that `ordinary` does not describe."""

    def register(handler):
        for function in functions:
            _SPECIAL[function] = handler
        return handler

    return register


def _refuse(reason, cause):
    raise UnsupportedOnCpu(reason) from cause


def install(refuse) -> None:
    """Activates the mode in this thread, for good. `refuse(reason, cause)` raises `UnsupportedOnCpu`."""
    global _refuse
    from . import place_rules  # noqa: F401  (registers the special functions)

    _refuse = refuse
    torch.UntypedStorage._kbx_place = None
    mode.__enter__()
