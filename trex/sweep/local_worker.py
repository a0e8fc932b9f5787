"""What a worker of the local cluster does at its start (Dask's ``--preload``): it leaves Ctrl-C to the sweep.

Ctrl-C in a terminal reaches every process there; the sweep ends its workers itself. It is held back from the first step
on where the system can do that (``starting_children``).
"""

from __future__ import annotations

import signal
from contextlib import suppress
from typing import Any


def dask_setup(_worker: Any) -> None:
    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)
