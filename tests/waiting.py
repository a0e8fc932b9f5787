"""Waiting for what another thread or process does: on a busy machine it may take long."""

from __future__ import annotations

import time
from collections.abc import Callable

LONGEST_S = 50.0  # less than the 60 s that a child sleeps which has to be ended


def wait_until(condition: Callable[[], object]) -> None:
    """Fails after LONGEST_S."""
    limit = time.monotonic() + LONGEST_S
    while not condition():
        assert time.monotonic() < limit, "waited too long"
        time.sleep(0.01)
