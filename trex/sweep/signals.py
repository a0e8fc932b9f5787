"""A signal → the ordered end of a sweep."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


@contextmanager
def signals_to(stop: Callable[[str], None]) -> Iterator[None]:
    """The first signal ends the sweep in order, a second one at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous: dict[int, Any] = {}

    def handle(number: int, _frame: Any) -> None:
        signal.signal(number, previous[number])
        stop(signal.Signals(number).name)

    try:
        for name in _SIGNALS:
            number = getattr(signal, name, None)
            handler = None if number is None else signal.getsignal(number)
            if number is not None and handler is not None and handler != signal.SIG_IGN:
                previous[number] = handler
                signal.signal(number, handle)
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
