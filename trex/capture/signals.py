"""SignalChain: what must be done when the program is told to end, done before whatever happened at that signal."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# A terminal that is closed (SIGHUP) ends programs as Ctrl-C and kill do.
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class SignalChain:
    """At SIGINT, SIGTERM and SIGHUP calls ``first``, then what these called before: handler, or the default action.

    Signals that are ignored (``nohup``) or handled outside Python stay as they are. Only the main thread can take
    signals; elsewhere ``install`` does nothing and returns False.
    """

    def __init__(self, first: Callable[[], None]) -> None:
        self._first = first
        self._previous: dict[int, Any] = {}
        self._held = 0
        self._pending: list[int] = []

    def install(self) -> bool:
        if threading.current_thread() is not threading.main_thread():
            return False
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is None:
                continue
            previous = signal.getsignal(number)
            if previous is not None and previous != signal.SIG_IGN:
                self._previous[number] = previous
                signal.signal(number, self._handle)
        return True

    def uninstall(self) -> None:
        """Puts the previous handlers back, unless somebody put another one in the place of ours since."""
        for number, previous in self._previous.items():
            if signal.getsignal(number) == self._handle:
                signal.signal(number, previous)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Signals that arrive inside wait until the end of it."""
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
            self._first()
        finally:
            self._held -= 1
        previous = self._previous.get(number)
        if callable(previous):
            previous(number, frame)
        elif previous == signal.SIG_DFL:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
