# SPDX-License-Identifier: Apache-2.0
"""Expected: crashed
Closes every descriptor, the judge's socket too."""
import os


def abs(x, out=None):
    os.closerange(0, 1024)
    return x
