# SPDX-License-Identifier: Apache-2.0
"""Expected: mutated_input
The right answer, written over the input."""


def abs(x, out=None):
    return x.abs_()
