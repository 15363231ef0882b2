# SPDX-License-Identifier: Apache-2.0
"""Streams and events of the emulated card: everything has happened by the time anyone asks."""

import contextlib
import itertools

import torch

ELAPSED_MS = 1.0  # between any two events: no time can be measured here
_handles = itertools.count(0x5000, 0x10)


class Stream:
    """`torch.cuda.Stream`. Handle 0 is the default stream, as on a card."""

    def __init__(self, device=None, priority=0, stream_id=None, handle=None, **_):
        self.device = torch.device("cuda", 0)
        self.device_index = 0
        self.device_type = 1
        self.priority = priority
        self.cuda_stream = next(_handles) if handle is None else handle
        self.stream_id = self.cuda_stream

    def query(self):
        return True

    def synchronize(self):
        pass

    def wait_event(self, event):
        pass

    def wait_stream(self, stream):
        pass

    def record_event(self, event=None):
        event = Event() if event is None else event
        event.record(self)
        return event

    def __enter__(self):
        self._outer = state.current
        state.current = self
        return self

    def __exit__(self, *_):
        state.current = self._outer

    @property
    def _as_parameter_(self):
        return self.cuda_stream

    def __eq__(self, other):
        return isinstance(other, Stream) and other.cuda_stream == self.cuda_stream

    def __hash__(self):
        return hash(self.cuda_stream)

    def __repr__(self):
        return f"<torch.cuda.Stream device=cuda:0 cuda_stream={self.cuda_stream:#x}>"


class _State:
    def __init__(self):
        self.default = Stream(handle=0)
        self.current = self.default


state = _State()


class ExternalStream(Stream):
    def __init__(self, stream_ptr, device=None, **_):
        super().__init__(handle=int(stream_ptr))


class Event:
    """`torch.cuda.Event`."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
        self.device = torch.device("cuda", 0)
        self.cuda_event = next(_handles)
        self._enable_timing = enable_timing
        self._recorded = False

    def record(self, stream=None):
        self._recorded = True

    def wait(self, stream=None):
        pass

    def query(self):
        return True

    def synchronize(self):
        pass

    def elapsed_time(self, end_event):
        if not (self._enable_timing and end_event._enable_timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if not (self._recorded and end_event._recorded):
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return ELAPSED_MS


@contextlib.contextmanager
def stream_context(stream):
    """`torch.cuda.stream`."""
    if stream is None:
        yield
    else:
        with stream:
            yield


def set_stream(stream):
    if stream is not None:
        state.current = stream
