"""Watcher: gets the progress of a run; the shells show it, nothing here prints."""

from __future__ import annotations

from typing import Protocol


class Watcher(Protocol):
    """phase: called when a phase begins or moves on; done of total steps, None where unknown. line: called with each
    line of the child's output, without its end; control characters are kept.
    """

    def phase(self, name: str, done: int | None = None, total: int | None = None) -> None: ...

    def line(self, text: str) -> None: ...


class SilentWatcher:
    """A Watcher that shows nothing."""

    def phase(self, name: str, done: int | None = None, total: int | None = None) -> None:
        pass

    def line(self, text: str) -> None:
        pass
