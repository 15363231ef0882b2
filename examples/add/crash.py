# SPDX-License-Identifier: Apache-2.0
"""Crash: the process ends itself before it answers."""
import os


def add(input, other, alpha=1, out=None):
    os.kill(os.getpid(), 11)
