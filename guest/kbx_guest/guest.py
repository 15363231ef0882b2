# SPDX-License-Identifier: Apache-2.0
"""The guest: one submission, loaded and called in a process of its own.

The judge speaks first: it sends the code, then blocks of memory, then calls. The guest answers each with one frame. What
it says of itself decides nothing but how a failure is named; what counts are the bytes that it copies into the blocks.
"""

import importlib.util
import os
import resource
import sys
import types

import torch

from . import _native, failure, messages, observer, values

SUBMISSION = "submission.py"


def main(config, fds):
    """Never returns. fds: the judge's socket, standard output, standard error."""
    os.setpgid(0, 0)
    fds = take_over_descriptors(fds)
    enter_scratch(config["scratch"])
    channel = _native.Channel(fds, max_payload=256 << 20)
    watch = observer.Observer(channel)
    device = prepare_device(config, watch)
    report = _native.apply_sandbox(config["sandbox"]) if config["sandbox"] else []
    hello = {"pid": os.getpid(), "sandbox": report}
    if config.get("self_test"):
        judges = os.path.dirname(config["scratch"])  # the judge's own folder: no guest may look into it
        log = os.path.join(judges, "zygote.log")
        hello["self_test"] = _native.self_test(config["scratch"], os.__file__, judges, log)
    channel.send(messages.HELLO, 0, hello)
    try:
        Guest(channel, watch, device).serve()
    except EOFError:
        pass
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def take_over_descriptors(fds):
    """Standard streams and the socket as 0 to 3, and nothing else of the zygote's. Answers with the socket's number."""
    socket, out, err = fds
    null = os.open(os.devnull, os.O_RDONLY)
    # First out of the way of the numbers that are to be taken, then into place.
    high = [os.dup2(fd, 64 + i) for i, fd in enumerate((null, out, err, socket))]
    for number, fd in enumerate(high):
        os.dup2(fd, number)
    os.set_inheritable(3, False)
    os.closerange(4, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    return 3


def enter_scratch(path):
    os.chdir(path)
    kept = {k: v for k, v in os.environ.items() if k in ("LD_LIBRARY_PATH", "CC")}
    os.environ.clear()
    os.environ.update(
        HOME=path,
        TMPDIR=path,
        PATH="/usr/local/bin:/usr/bin:/bin",
        LANG="C.UTF-8",
        TRITON_HOME=path,
        TRITON_CACHE_DIR=os.path.join(path, "triton"),
        TORCHINDUCTOR_CACHE_DIR=os.path.join(path, "inductor"),
        CUDA_CACHE_PATH=os.path.join(path, "cuda"),
        CUDA_DEVICE_MAX_CONNECTIONS="1",
        OMP_NUM_THREADS="1",
        **kept,
    )
    sys.argv = [SUBMISSION]
    sys.path.insert(0, path)


def prepare_device(config, watch):
    if config["emulate"]:
        from . import emulated

        emulated.install(config["emulate"], observer=watch, targets=config["targets"])
        return EmulatedDevice(emulated)
    from . import cuda_device

    return cuda_device.CudaDevice(watch, targets=config["targets"], own_driver=config["own_driver"])


class EmulatedDevice:
    """Memory on the CPU that tensors believe to be on "cuda"."""

    is_cuda = False

    def __init__(self, emulated):
        self.emulated = emulated
        self.device = torch.device("cuda", 0)

    def prepare(self):
        pass

    def place(self, tensor):
        return self.emulated.mark(tensor)

    def place_of(self, tensor):
        return "cuda" if self.emulated.is_emulated(tensor) else "cpu"

    def finish(self):
        pass


class Guest:
    def __init__(self, channel, watch, device):
        self.channel = channel
        self.watch = watch
        self.device = device
        self.blocks = _native.Blocks()
        self.path = os.path.join(os.getcwd(), SUBMISSION)
        self.entry = None
        self.pending = []

    def serve(self):
        answers = {messages.LOAD: self.load, messages.CALL: self.call, messages.TAKE: self.take}
        while True:
            kind, nonce, payload, fds = self.channel.receive()
            self.watch.nonce = nonce
            if kind == messages.MAP:
                self.device.prepare()
                self.blocks.map(payload["id"], fds[0], payload["bytes"], self.device.is_cuda)
                continue
            loading = kind == messages.LOAD
            try:
                answer, result = answers[kind](payload)
            except BaseException as exception:  # noqa: BLE001: SystemExit and the like are the submission's too
                answer, result = messages.REFUSED, failure.describe(exception, self.path, loading)
            self.watch.phase("running")
            self.channel.send(answer, nonce, {**result, **self.watch.report()})

    def load(self, payload):
        with open(self.path, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(payload["code"])
        code = compile(payload["code"], self.path, "exec")
        module = types.ModuleType("submission")
        module.__file__ = self.path
        module.__spec__ = importlib.util.spec_from_file_location("submission", self.path)
        sys.modules["submission"] = module
        exec(code, module.__dict__)
        for name in payload["entries"]:
            self.entry = module.__dict__.get(name)
            if callable(self.entry):
                break
        else:
            what = "no function named " + " or ".join(payload["entries"])
            return messages.REFUSED, {"verdict": "missing_entry", "type": "", "message": what, "traceback": ""}
        if payload["wrapper"]:
            self.entry = wrapped(payload["wrapper"], self.entry)
        return messages.LOADED, {}

    def call(self, payload):
        args = [self.decode(node) for node in payload["args"]]
        kwargs = {name: self.decode(node) for name, node in payload["kwargs"].items()}
        result = self.entry(*args, **kwargs)
        self.device.finish()
        encoder = values.Encoder(self.describe)
        tree = encoder.encode(result)
        self.pending = encoder.tensors
        return messages.DONE, {"result": tree}

    def take(self, payload):
        for slot, tensor in zip(payload["slots"], self.pending, strict=True):
            self.blocks.take(slot["block"], slot["offset"], tensor)
        self.device.finish()
        self.pending = []
        return messages.TAKEN, {}

    def decode(self, node):
        return values.decode(node, self.make_tensor, self.device.device)

    def make_tensor(self, d):
        dtype = getattr(torch, d["dtype"])
        tensor = self.blocks.tensor(d["block"], d["offset"], dtype, d["shape"], d["strides"])
        return self.device.place(tensor) if d["place"] == "cuda" else tensor

    def describe(self, value):
        description = _native.describe_tensor(value, torch.nn.Parameter)
        if isinstance(description, dict):
            description["place"] = self.device.place_of(value)
        return description


def wrapped(python, entry):
    """The task's own lines around the entry point: a function `call(entry, ...)`."""
    scope = {"torch": torch}
    exec(compile(python, "wrapper.py", "exec"), scope)
    return lambda *args, **kwargs: scope["call"](entry, *args, **kwargs)
