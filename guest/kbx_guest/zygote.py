# SPDX-License-Identifier: Apache-2.0
"""The zygote: imports torch and triton once, then forks one guest a submission.

It runs no code of a submission, touches no device, and stays single-threaded, so that a fork is safe. It is the parent
of every guest and adopts what a guest leaves behind: ending a guest kills its process group and reaps all of it.
"""

import ctypes
import gc
import os
import select
import shutil
import signal
import sys

from . import _native, guest, messages

PR_SET_CHILD_SUBREAPER = 36
PR_SET_DUMPABLE = 4


def import_what_guests_need():
    """Everything a submission is likely to import, so that a fork finds it loaded. Answers with the versions."""
    import numpy
    import torch
    import triton
    import triton.language  # noqa: F401
    import triton.language.extra.libdevice  # noqa: F401
    import triton.runtime.interpreter  # noqa: F401
    import triton.testing  # noqa: F401

    from . import emulated  # noqa: F401

    torch.set_num_threads(1)
    if compiler := c_compiler():
        os.environ["CC"] = compiler  # guests have another PATH
    return {
        "readable": python_folders(),
        "python": sys.version.split()[0],
        "torch": torch.__version__,
        "triton": triton.__version__,
        "numpy": numpy.__version__,
    }


def python_folders():
    """The interpreter, its library and its packages: what an import or Triton's assembler may open in a guest."""
    folders = {sys.prefix, sys.base_prefix, *(path for path in sys.path if os.path.isdir(path))}
    if compiler := c_compiler():  # Triton's own driver compiles its launchers
        folders.add(os.path.dirname(os.path.dirname(os.path.realpath(compiler))))
    folders |= {os.path.realpath(folder) for folder in folders}
    # A system's interpreter lies in folders that hold other programs too, the judge perhaps; of those the sandbox lists
    # the libraries by itself.
    return sorted(folders - {"/", "/usr", "/usr/local"})


def c_compiler():
    return os.environ.get("CC") or shutil.which("gcc") or shutil.which("clang")


class Children:
    """The guests that live, and those that the judge wants ended."""

    def __init__(self):
        self.ending = {}  # pid of the leader -> nonce of the request
        self.status = {}  # pid of the leader -> wait status, once it is dead

    def end(self, pid, nonce):
        self.ending[pid] = nonce
        kill_group(pid)

    def reap(self):
        """Collects the dead. Yields (nonce, pid, status) for each group that was to end and of which nothing is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            self.status[pid] = status
        for pid in [p for p in self.ending if p in self.status and not group_exists(p)]:
            yield self.ending.pop(pid), pid, self.status.pop(pid)
        # Adopted orphans leave a status that nobody asks for.
        if len(self.status) > 4096:
            self.status = {p: s for p, s in self.status.items() if p in self.ending}


def kill_group(pid):
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def group_exists(pid):
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return False
    return True


def fork_guest(channel, nonce, payload, fds):
    pid = os.fork()
    if pid != 0:
        for fd in fds:
            os.close(fd)
        try:
            os.setpgid(pid, pid)
        except OSError:
            pass  # it did so itself, and may be gone already
        channel.send(messages.FORKED, nonce, {"pid": pid})
        return pid
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        guest.main(payload, fds)
    finally:
        os._exit(70)
    return 0


def main(fd):
    """Serves the judge on the socket fd until it closes, then ends every guest."""
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # no guest may read or trace its parent, where Landlock is missing too
    versions = import_what_guests_need()
    gc.disable()
    gc.collect()
    gc.freeze()

    wake_read, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(wake_write)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the judge's business

    channel = _native.Channel(fd)
    channel.send(messages.HELLO, 0, versions)
    children = Children()
    living = set()
    try:
        while True:
            ready, _, _ = select.select([fd, wake_read], [], [], 0.02 if children.ending else None)
            if wake_read in ready:
                os.read(wake_read, 4096)
            if fd in ready:
                kind, nonce, payload, fds = channel.receive()
                if kind == messages.FORK:
                    living.add(fork_guest(channel, nonce, payload, fds))
                elif kind == messages.END:
                    children.end(payload["pid"], nonce)
            for nonce, pid, status in children.reap():
                living.discard(pid)
                channel.send(messages.ENDED, nonce, {"pid": pid, "status": status})
    except EOFError:
        pass
    finally:
        for pid in living:
            kill_group(pid)
