# SPDX-License-Identifier: Apache-2.0
"""What else of torch has to know about the emulated card: autograd, autocast, threads, generators, compilers."""

import functools
import threading

import torch

from . import places
from .place_errors import DTYPES_BY_TYPE_NAME


def install() -> torch.Generator:
    """Answers with the card's default generator."""
    _legacy_tensor_types()
    _autocast()
    _autograd()
    _threads()
    torch.Tensor.record_stream = lambda tensor, stream: None
    torch.Generator = _make_generator_class()
    # Compiled functions run as written: compilers behind torch.compile produce code for real devices only, and
    # TorchScript runs in C++, where places cannot be seen.
    torch.compile = _run_as_written
    torch.jit.script = lambda obj, *_, **__: obj
    return torch.Generator("cuda")


def _legacy_tensor_types():
    """`torch.cuda.FloatTensor(...)`, and `isinstance` with it."""

    class LegacyType(type):
        def __instancecheck__(cls, instance):
            return isinstance(instance, torch.Tensor) and instance.is_cuda and instance.dtype == cls.dtype

        def __call__(cls, *args, **kwargs):
            if args and all(isinstance(extent, int) for extent in args):
                return torch.empty(*args, dtype=cls.dtype, device="cuda")
            data = args[0] if args else []
            return torch.as_tensor(data, dtype=cls.dtype, device="cuda")

    for name, dtype in DTYPES_BY_TYPE_NAME.items():
        if hasattr(torch.cuda, name):
            setattr(torch.cuda, name, LegacyType(name, (), {"dtype": dtype, "__module__": "torch.cuda"}))


def _autocast():
    """Autocast for the card is the CPU's, with the card's default type: the dispatcher sees CPU tensors."""
    original = torch.amp.autocast_mode.autocast.__init__

    def initialise(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if device_type == "cuda":
            device_type, dtype = "cpu", dtype or _card_dtype[0]
        original(self, device_type, dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)

    torch.amp.autocast_mode.autocast.__init__ = initialise
    _card_dtype = [torch.float16]
    enabled, set_enabled = torch.is_autocast_enabled, torch.set_autocast_enabled
    get_dtype, set_dtype = torch.get_autocast_dtype, torch.set_autocast_dtype

    def set_autocast_enabled(*args):
        set_enabled("cpu" if len(args) == 1 or args[0] == "cuda" else args[0], args[-1])

    def set_autocast_dtype(device_type, dtype):
        if device_type == "cuda":
            _card_dtype[0] = dtype
        else:
            set_dtype(device_type, dtype)

    torch.is_autocast_enabled = lambda device_type="cuda": enabled(_host(device_type))
    torch.set_autocast_enabled = set_autocast_enabled
    torch.get_autocast_dtype = lambda device_type: _card_dtype[0] if device_type == "cuda" else get_dtype(device_type)
    torch.set_autocast_dtype = set_autocast_dtype


def _host(device_type):
    return "cpu" if device_type == "cuda" else device_type


def _autograd():
    """Gradients that the engine makes are on the card when what they start from is; and Python code that it calls
    (hooks, `backward` of custom functions, checkpoints) sees places too."""
    from torch.autograd import function, graph

    run = graph._engine_run_backward
    on_card = threading.local()

    @functools.wraps(run)
    def run_backward(t_outputs, *args, **kwargs):
        outer, on_card.now = getattr(on_card, "now", False), any(map(places.is_emulated, t_outputs))
        try:
            with places.active():
                return run(t_outputs, *args, **kwargs)
        finally:
            on_card.now = outer

    apply = function.BackwardCFunction.apply

    @functools.wraps(apply)
    def apply_backward(self, *gradients):
        if getattr(on_card, "now", False):
            with places.suspended():
                places.mark_all(gradients, places.CARD)
        return apply(self, *gradients)

    graph._engine_run_backward = torch.autograd._engine_run_backward = run_backward
    function.BackwardCFunction.apply = apply_backward


def _threads():
    """A mode belongs to a thread; a new one gets it too."""
    run = threading.Thread.run

    @functools.wraps(run)
    def run_with_places(self):
        with places.active():
            run(self)

    threading.Thread.run = run_with_places


def _make_generator_class():
    real = torch._C.Generator

    class Generator(real):
        """`torch.Generator`, for the host and for the card."""

        def __new__(cls, device="cpu"):
            made = super().__new__(cls)
            made._kbx_device = torch.device("cuda", 0) if places.is_card(device) else torch.device(device)
            return made

        @property
        def device(self):
            return self._kbx_device

        def clone_state(self):
            clone = type(self)(self._kbx_device)
            clone.set_state(self.get_state())
            return clone

    Generator.__qualname__ = "Generator"
    return Generator


def _run_as_written(model=None, **_):
    return model if model is not None else lambda function: function
