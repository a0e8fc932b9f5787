"""The cyclic garbage collector, paused while many permanent objects are created."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pauses the collector: creating a million small objects triggers it many times, and it frees nothing.

    Reference counting goes on. Uses may be nested; the outermost enables the collector again, unless the program had
    disabled it.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
