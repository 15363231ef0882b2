# SPDX-License-Identifier: Apache-2.0
"""Endless loop: never answers."""


def add(input, other, alpha=1, out=None):
    while True:
        pass
