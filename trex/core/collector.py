"""The cyclic garbage collector, paused while many permanent objects are created."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# For fewer new objects, the collector takes a millisecond.
_MANY = 20_000
_AGED_AT_MOST = 8_000_000
_aged = 0


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pauses the collector: creating a million small objects triggers it many times, and it frees nothing.

    Reference counting goes on. Uses may be nested; the outermost enables the collector again. If many objects were
    created, they then count as old, so that the next run does not visit them all. After every few million objects, one
    full run frees old cycles, for programs that load engines all day.
    """
    global _aged
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            built = gc.get_count()[0]
            if built > _MANY and not gc.get_freeze_count():  # a program that froze its own objects keeps them frozen
                _aged += built
                if _aged < _AGED_AT_MOST:
                    gc.freeze()
                    gc.unfreeze()
                else:
                    _aged = 0
                    gc.collect()
            gc.enable()
