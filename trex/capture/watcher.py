"""Watcher: who is told what a run is doing while it does it; the shells show it, nothing here prints."""

from __future__ import annotations

from typing import Protocol


class Watcher(Protocol):
    """Gets each phase as it begins or moves on, and each line of output.

    phase: what is being done; done of total steps where they are known, None where they are not. line: one line of the
    child's output, without its end; unprintable characters are as they came.
    """

    def phase(self, name: str, done: int | None = None, total: int | None = None) -> None: ...

    def line(self, text: str) -> None: ...


class Quiet:
    """A Watcher that looks away."""

    def phase(self, name: str, done: int | None = None, total: int | None = None) -> None:
        pass

    def line(self, text: str) -> None:
        pass
