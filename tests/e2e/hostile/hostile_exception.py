# SPDX-License-Identifier: Apache-2.0
"""Expected: runtime_error
An exception whose text cannot be made."""


class Hostile(Exception):
    def __str__(self):
        raise RuntimeError("no text")


def abs(x, out=None):
    raise Hostile
