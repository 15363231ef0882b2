# SPDX-License-Identifier: Apache-2.0
"""Expected: runtime_error
Signals the zygote, which the sandbox refuses."""
import os


def abs(x, out=None):
    os.kill(os.getppid(), 9)
    return x.abs()
