"""``steps(work)``: how many lines of Python run until it returns. A number that no busy machine changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def steps(work: Callable[[], object]) -> int:
    """Each turn of a loop counts."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
