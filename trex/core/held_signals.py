"""Signals that end the process, held while a few steps belong together."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


@contextmanager
def signals_held() -> Iterator[None]:
    """Those that arrive inside ``with`` are delivered at its end; for steps that end soon by themselves.

    Only the main thread gets signals as exceptions; elsewhere nothing is held.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    previous: dict[int, Any] = {}
    try:
        for name in _NAMES:
            number = getattr(signal, name, None)
            handler = None if number is None else signal.getsignal(number)
            if number is not None and handler not in (None, signal.SIG_IGN):
                previous[number] = handler
                signal.signal(number, lambda arrived, _frame: came.append(arrived))
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)
