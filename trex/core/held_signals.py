"""Signals that end the process, held while a few steps belong together."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from trex.core.signals import signals_to


@contextmanager
def signals_held() -> Iterator[None]:
    """Those that arrive inside ``with`` are delivered at its end; for steps that end soon by themselves.

    Only the main thread gets signals as exceptions; elsewhere nothing is held.
    """
    came: list[signal.Signals] = []
    try:
        with signals_to(came.append):
            yield
    finally:
        for number in came:
            signal.raise_signal(number)
