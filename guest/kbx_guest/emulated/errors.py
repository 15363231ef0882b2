# SPDX-License-Identifier: Apache-2.0
"""What ends an emulated launch.

The first two derive from BaseException on purpose: on a card neither is an exception at the launch, so a submission's
`try: kernel[grid](...) except Exception: ...` must not be able to swallow them and answer with something else.
"""


class OutOfBoundsWrite(BaseException):
    """A kernel wrote outside every live storage."""

    def __init__(self, kernel: str, line: int | None, argument: str | None, detail: str):
        self.kernel, self.line, self.argument, self.detail = kernel, line, argument, detail
        near = f", nearest to argument '{argument}'" if argument else ""
        super().__init__(f"out-of-bounds write in kernel '{kernel}', line {line}{near}: {detail}")


class UnsupportedOnCpu(BaseException):
    """What cannot be told on a CPU; never the submission's fault."""

    def __init__(self, reason: str):
        self.reason = reason
        super().__init__(reason)


class DeviceAssertion(RuntimeError):
    """`tl.device_assert` failed in a kernel compiled with debug=True; worded as the card reports it."""

    def __init__(self, message: str):
        super().__init__(f"CUDA error: device-side assert triggered ({message})")
