# SPDX-License-Identifier: Apache-2.0
"""Expected: wrong_value
Replaces what a comparator in the same process would use."""
import torch

torch.allclose = lambda *a, **k: True
torch.testing.assert_close = lambda *a, **k: None
torch.abs = lambda x: x
torch.Tensor.abs = lambda x: x


def abs(x, out=None):
    return torch.zeros_like(x)
