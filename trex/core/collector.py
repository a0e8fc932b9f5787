"""The cyclic garbage collector, paused while very many objects that all stay are being built."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pauses the collector: building a million small objects triggers it again and again, and it finds nothing.

    Reference counting goes on as ever. Nested uses are fine; the outermost switches it on again. By then all that was
    built counts as old, as if the collector had seen it survive: otherwise its first run would go through all of it.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():  # a program that froze its own objects keeps them frozen
                gc.freeze()
                gc.unfreeze()
            gc.enable()
