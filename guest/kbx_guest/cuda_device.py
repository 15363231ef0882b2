# SPDX-License-Identifier: Apache-2.0
"""The guest's device when there is a GPU."""

import torch


class CudaDevice:
    """CUDA device 0 of this process (the judge has made the right one visible)."""

    is_cuda = True

    def __init__(self, watch, targets, own_driver):
        self.device = torch.device("cuda", 0)
        from . import cuda_driver

        # float32 is computed as float32, by a submission's calls of torch as by the references and baselines; torch's own
        # default would let convolutions, and only those, round to TF32.
        torch.backends.cudnn.allow_tf32 = False
        cuda_driver.watch_compiler(watch)
        if own_driver:
            cuda_driver.install(watch, targets)

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
