"""Signals that would end the process → something else, for a while."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


@contextmanager
def signals_to(handle: Callable[[signal.Signals], None], *, is_once: bool = False) -> Iterator[None]:
    """Those that arrive inside ``with`` go to ``handle``; ignored ones (``nohup``) stay ignored.

    is_once: a second one does what it did before. Only the main thread gets signals; elsewhere nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous: dict[int, Any] = {}

    def received(number: int, _frame: Any) -> None:
        if is_once:
            signal.signal(number, previous[number])
        handle(signal.Signals(number))

    try:
        for name in _NAMES:
            number = getattr(signal, name, None)
            handler = None if number is None else signal.getsignal(number)
            if number is not None and handler not in (None, signal.SIG_IGN):
                previous[number] = handler
                signal.signal(number, received)
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
