# SPDX-License-Identifier: Apache-2.0
"""Expected: wrong_value
A hook that would write a verdict after the end; the process never ends in a way that runs it."""
import atexit
import os

atexit.register(lambda: os.write(3, b"passed"))


def abs(x, out=None):
    return x.clone()
