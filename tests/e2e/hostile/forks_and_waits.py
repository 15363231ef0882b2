# SPDX-License-Identifier: Apache-2.0
"""Expected: wrong_value
Leaves children behind that would live for an hour; ending the guest ends them."""
import os
import time


def abs(x, out=None):
    for _ in range(4):
        if os.fork() == 0:
            time.sleep(3600)
            os._exit(0)
    return x.clone()
