# SPDX-License-Identifier: Apache-2.0
"""The tree of values between payloads and Python.

A plain null, bool, number or string stands for itself; everything else is an object with one key that says what it is:
tensor, dtype, layout, device, generator, complex, list, tuple, dict, object. src/kbx/judge/marshal.h is the other side.
"""

import torch

MAX_DEPTH = 16
MAX_NODES = 4096


def decode(node, make_tensor, device):
    """A Python value from a payload. make_tensor(description) gives the tensor; device is where the submission runs."""
    if not isinstance(node, dict):
        return node
    ((kind, value),) = node.items()
    if kind == "tensor":
        return make_tensor(value)
    if kind == "list":
        return [decode(item, make_tensor, device) for item in value]
    if kind == "tuple":
        return tuple(decode(item, make_tensor, device) for item in value)
    if kind == "dict":
        return {key: decode(item, make_tensor, device) for key, item in value}
    if kind == "dtype" or kind == "layout":
        return getattr(torch, value)
    if kind == "device":
        return device
    if kind == "generator":
        return torch.Generator(device=device).manual_seed(value)
    if kind == "complex":
        return complex(*value)
    raise ValueError(f"no such kind of value: {kind}")


class Encoder:
    """Encodes one result. Tensors are described and kept in `tensors`, in the order in which they are met."""

    def __init__(self, describe):
        """describe(value): a dict for a tensor that can be taken, a str that says what is wrong with it, else None."""
        self.describe = describe
        self.tensors = []
        self.nodes = 0

    def encode(self, value, depth=0):
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            return {"object": "a result nested too deeply or of too many parts"}
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if isinstance(value, str):
            return value[:MAX_NODES]
        description = self.describe(value)
        if isinstance(description, str):
            return {"object": description}
        if description is not None:
            self.tensors.append(value)
            return {"tensor": description}
        if isinstance(value, (list, tuple)):
            kind = "list" if isinstance(value, list) else "tuple"
            return {kind: [self.encode(item, depth + 1) for item in value]}
        if isinstance(value, dict):
            return {"dict": [[str(key), self.encode(item, depth + 1)] for key, item in value.items()]}
        if isinstance(value, complex):
            return {"complex": [value.real, value.imag]}
        if isinstance(value, torch.dtype):
            return {"dtype": str(value).removeprefix("torch.")}
        return {"object": f"an object of type {type(value).__name__}"[:200]}
