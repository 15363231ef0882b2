# SPDX-License-Identifier: Apache-2.0
"""What is seen of a call from beside it: phases as they change, launches and findings as a sum."""

from . import messages

MAX_FINDINGS = 32


class Observer:
    """Told by the driver, whichever it is. Phases go to the judge at once, since its clocks depend on them."""

    def __init__(self, channel):
        self.channel = channel
        self.nonce = 0
        self.current = "running"
        self.reset()

    def reset(self):
        self.kernels = {}
        self.findings = []
        self.targets = []

    def phase(self, name):
        if name != self.current:
            self.current = name
            self.channel.send(messages.PHASE, self.nonce, {"phase": name})

    def launch(self, kernel_name, grid, metadata):
        use = self.kernels.setdefault(kernel_name, {"launches": 0})
        use["launches"] += 1
        for key in ("shared_bytes", "registers", "spills"):
            if metadata.get(key) is not None:
                use[key] = int(metadata[key])

    def finding(self, rule, detail, line=0):
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append({"rule": rule, "detail": str(detail)[:500], "line": int(line or 0)})

    def unsupported(self, reason):
        """Told before UnsupportedOnCpu is raised, since a submission may catch that."""
        self.finding("unsupported_on_cpu", reason)

    def target(self, kernel_name, result):
        """One kernel on one compile target: a dict with target, compiled, shared_bytes, registers, spills, error."""
        self.targets.append({"kernel": kernel_name, **result})

    def report(self):
        """All that was seen since the last reset, for a frame."""
        seen = {
            "kernels": [{"name": name, **use} for name, use in self.kernels.items()],
            "findings": self.findings,
            "targets": self.targets,
        }
        self.reset()
        return seen
