# SPDX-License-Identifier: Apache-2.0
"""The guest's device when there is a GPU."""

import torch


class CudaDevice:
    """CUDA device 0 of this process (the judge has made the right one visible)."""

    is_cuda = True

    def __init__(self, watch, targets, own_driver):
        self.device = torch.device("cuda", 0)
        from . import cuda_driver

        cuda_driver.watch_compiler(watch, targets)
        if own_driver:
            cuda_driver.install(watch)

    def prepare(self):
        """Makes the context and torch's allocator, before the first block is mapped: not for code that never gets here."""
        torch.cuda.init()

    def place(self, tensor):
        return tensor

    def place_of(self, tensor):
        return "cuda" if tensor.is_cuda else "cpu"

    def finish(self):
        """Waits for the device, so that its faults belong to the call that caused them."""
        torch.cuda.synchronize()
