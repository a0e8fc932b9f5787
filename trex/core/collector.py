"""The cyclic garbage collector, paused while very many objects that all stay are being built."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pauses the collector: building a million small objects triggers it again and again, and it finds nothing.

    Reference counting goes on as ever. Nested uses are fine; the outermost switches it on again.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
