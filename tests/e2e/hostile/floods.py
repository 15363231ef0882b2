# SPDX-License-Identifier: Apache-2.0
"""Expected: output_flood
Prints without end."""


def abs(x, out=None):
    while True:
        print("x" * 65536)
