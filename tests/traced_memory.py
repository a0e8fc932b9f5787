"""``peak_bytes(work)``: the most memory of Python's objects that it holds at once."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable


def peak_bytes(work: Callable[[], object]) -> int:
    """In bytes, beyond what was there before."""
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
