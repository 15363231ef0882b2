# SPDX-License-Identifier: Apache-2.0
"""Expected: tampered
Writes what is no frame to the judge's socket."""
import os


def abs(x, out=None):
    os.write(3, b"x" * 4096)
    return x
