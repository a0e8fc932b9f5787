"""The cyclic garbage collector, paused while very many objects that all stay are being built."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# Of fewer new objects the collector's ordinary work is done in a millisecond.
_MANY = 20_000
_AGED_AT_MOST = 8_000_000
_aged = 0


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pauses the collector: building a million small objects triggers it again and again, and it finds nothing.

    Reference counting goes on as ever. Nested uses are fine; the outermost switches it on again. By then all that was
    built, if it is much, counts as old, as if the collector had seen it survive: otherwise its first run would go
    through all of it. Old things are looked at once for every few million of them, so that a program that loads for
    ever does not keep what is in cycles for ever.
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
