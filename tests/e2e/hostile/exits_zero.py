# SPDX-License-Identifier: Apache-2.0
"""Expected: crashed
Ends the process with success before it has answered."""
import os


def abs(x, out=None):
    os._exit(0)
