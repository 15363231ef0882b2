# SPDX-License-Identifier: Apache-2.0
"""What the emulated GPU tells whoever installed it: the phase it is in, launches, findings, what it cannot do."""

import contextlib
from typing import Protocol


class Observer(Protocol):
    """The methods that an observer has; see `kbx_guest.emulated` for what each means."""

    def phase(self, name: str) -> None: ...

    def launch(self, kernel_name: str, grid: tuple[int, int, int], metadata: dict) -> None: ...

    def finding(self, rule: str, detail: str, line: int | None) -> None: ...

    def unsupported(self, reason: str) -> None: ...


class Phases:
    """Nested phases; leaving one, by an exception too, announces the one around it."""

    def __init__(self, observer: Observer):
        self._observer = observer
        self._current = "running"

    @contextlib.contextmanager
    def __call__(self, name: str):
        outer, self._current = self._current, name
        self._observer.phase(name)
        try:
            yield
        finally:
            self._current = outer
            self._observer.phase(outer)
