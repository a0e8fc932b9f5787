"""Signals that end trex: exceptions, so that locks end and unfinished files are removed; then exit code 128 + N."""

from __future__ import annotations

import signal
import time
from types import FrameType
from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_ONE_PRESS_S = 1.0
"""``timeout`` and terminals send one signal twice: to the process and to its group."""


class Stopped(KeyboardInterrupt):
    """name: of the signal. code: what a shell reports of a process that it ended."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.name = signal.Signals(number).name
        self.code = 128 + number


def is_ctrl_c(stop: KeyboardInterrupt) -> bool:
    """True if a user ended what only Ctrl-C ends (``trex watch``): that is no failure, another signal is."""
    return not isinstance(stop, Stopped) or stop.name == "SIGINT"


class Stopping:
    """The handlers of trex's own process. The first signal raises Stopped; one after a second ends trex at once.

    stopped: what was raised.
    """

    def __init__(self) -> None:
        self.stopped: Stopped | None = None
        self._first = 0.0
        self._ours: list[int] = []

    def begin(self) -> None:
        """Signals that are ignored (``nohup``) stay ignored."""
        for number in _numbers():
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, self._stop)
                self._ours.append(number)

    def end(self) -> None:
        """What comes while the interpreter ends has nothing left to clean up, and shows no traceback."""
        for number in self._ours:
            signal.signal(number, signal.SIG_DFL)

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if self.stopped is None:
            self._first, self.stopped = now, Stopped(number)
            raise self.stopped
        if now - self._first > _ONE_PRESS_S:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)


def _numbers() -> list[Any]:
    return [number for name in _NAMES if (number := getattr(signal, name, None)) is not None]
