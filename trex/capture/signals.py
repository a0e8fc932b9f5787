"""SignalChain: a cleanup at SIGINT, SIGTERM and SIGHUP that runs before the handlers installed earlier."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# Closing a terminal (SIGHUP) ends programs as Ctrl-C and kill do.
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class SignalChain:
    """At SIGINT, SIGTERM and SIGHUP calls ``cleanup``, then the previous handler or default action.

    Signals that are ignored (``nohup``) or handled outside Python stay as they are. Only the main thread can handle
    signals; elsewhere ``install`` does nothing.
    """

    def __init__(self, cleanup: Callable[[], None]) -> None:
        self._cleanup = cleanup
        self._previous: dict[int, Any] = {}
        self._held = 0
        self._pending: list[int] = []

    def install(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is None:
                continue
            previous = signal.getsignal(number)
            if previous is not None and previous != signal.SIG_IGN:
                self._previous[number] = previous
                signal.signal(number, self._handle)

    def uninstall(self) -> None:
        """Restores the previous handlers, except where another one has replaced ours since."""
        for number, previous in self._previous.items():
            if signal.getsignal(number) == self._handle:
                signal.signal(number, previous)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Signals that arrive inside ``with`` are delivered at its end."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
            if not self._held:
                while self._pending:
                    self._deliver(self._pending.pop(0), None)

    def _handle(self, number: int, frame: Any) -> None:
        if self._held:
            self._pending.append(number)
        else:
            self._deliver(number, frame)

    def _deliver(self, number: int, frame: Any) -> None:
        self._held += 1
        try:
            self._cleanup()
        finally:
            self._held -= 1
        previous = self._previous.get(number)
        if callable(previous):
            previous(number, frame)
        elif previous == signal.SIG_DFL:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
