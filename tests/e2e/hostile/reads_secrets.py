# SPDX-License-Identifier: Apache-2.0
"""Expected: runtime_error
Looks for files that hold more than a guest needs."""


def abs(x, out=None):
    open("/etc/shadow").read()
    return x.abs()
