# SPDX-License-Identifier: Apache-2.0
"""Expected: timeout or runtime_error or crashed
Forks as often as it can."""
import os


def abs(x, out=None):
    while True:
        try:
            os.fork()
        except OSError:
            pass
