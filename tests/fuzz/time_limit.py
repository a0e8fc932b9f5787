"""A time limit inside a test."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Hang(AssertionError):
    """What was tried takes too long."""


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raises Hang after ``seconds``; does nothing on systems without SIGALRM.

    The test's own limit starts over afterwards: pytest-timeout uses the same timer.
    """
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: Any) -> None:
        raise Hang(f"still running after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    outer = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *outer)
