# SPDX-License-Identifier: Apache-2.0
"""Expected: wrong_structure
A tensor subclass that says what is wanted of it."""
import torch


class Lazy(torch.Tensor):
    @property
    def shape(self):
        return torch.Size([3])


def abs(x, out=None):
    return x.abs().as_subclass(Lazy)
