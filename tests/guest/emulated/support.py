# SPDX-License-Identifier: Apache-2.0
"""What the tests of the emulated GPU share: one installation for the whole test process, and forks for the rest.

With KBX_REAL_GPU=1 nothing is installed and the same tests run on the real card, which is how their expectations were
checked; those that look at the emulator itself are skipped.
"""

import os
import pickle
import sys
import tempfile
import traceback
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "guest"))
_scratch = tempfile.TemporaryDirectory()
os.environ["TRITON_CACHE_DIR"] = _scratch.name
os.environ.pop("TRITON_INTERPRET", None)

import torch  # noqa: E402
import triton  # noqa: E402, F401

from kbx_guest import emulated  # noqa: E402

torch.set_num_threads(1)


class Watch:
    """An observer that writes everything down."""

    def __init__(self):
        self.clear()

    def clear(self):
        self.phases, self.launches, self.findings, self.reasons, self.targets = [], [], [], [], []

    def phase(self, name):
        self.phases.append(name)

    def launch(self, kernel_name, grid, metadata):
        self.launches.append((kernel_name, grid, metadata))

    def finding(self, rule, detail, line):
        self.findings.append((rule, detail, line))

    def unsupported(self, reason):
        self.reasons.append(reason)

    def target(self, kernel_name, result):
        self.targets.append((kernel_name, result))


watch = Watch()
_installed = REAL_GPU = os.environ.get("KBX_REAL_GPU") == "1"
only_emulated = unittest.skipIf(REAL_GPU, "about the emulator itself")


def install() -> Watch:
    """The emulated H200, installed once; answers with its observer, emptied."""
    global _installed
    if not _installed:
        _installed = True
        emulated.install("sm_90", observer=watch)
    watch.clear()
    return watch


def in_fork(function, *args):
    """Runs a function in a forked process, as a guest is; answers with what it returns, raises what it raises."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        try:
            answer = ("returned", function(*args))
        except BaseException:  # noqa: BLE001
            answer = ("raised", traceback.format_exc())
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(answer, pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        kind, value = pickle.load(pipe)
    os.waitpid(pid, 0)
    if kind == "raised":
        raise AssertionError(value)
    return value
