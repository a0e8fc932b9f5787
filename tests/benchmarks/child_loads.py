"""Many loads in one process: what a folder of engines costs, and what stays in memory."""

from __future__ import annotations

import gc
from pathlib import Path
from time import process_time


def measure_loads(folder: str) -> dict[str, float]:
    """Processor seconds of ``trex.load_all(folder)``, and of loading each engine in it by itself."""
    import trex
    from trex.plan.loading import find_plans

    engines = sorted(path for path in Path(folder).iterdir() if path.is_dir())
    for path in engines[:20]:
        trex.load(path)
    start = process_time()
    for path in engines:
        trex.load(path)
    alone = process_time() - start
    start = process_time()
    together = trex.load_all(folder)
    seconds = process_time() - start
    if len(together) != len(engines) or len(find_plans(folder)) != len(engines):
        raise RuntimeError(f"{len(together)} of {len(engines)} engines loaded")
    return {"all_s": seconds, "alone_s": alone}


def measure_leak(folder: str, loads: str) -> dict[str, float]:
    """Resident bytes after a tenth of the loads, and after all of them; each builds its frame and is dropped."""
    import trex

    engines = sorted(path for path in Path(folder).iterdir() if path.is_dir())
    sizes = []
    for number in range(int(loads) + 1):
        if number in (int(loads) // 10, int(loads)):
            gc.collect()
            sizes.append(resident_bytes())
        trex.load(engines[number % len(engines)]).df  # noqa: B018
    return {"early_bytes": sizes[0], "late_bytes": sizes[1]}


def resident_bytes() -> int:
    """What this process holds now. Raises RuntimeError where the system has no /proc."""
    status = Path("/proc/self/status")
    if not status.is_file():
        raise RuntimeError("resident memory is read from /proc")
    return int(next(row for row in status.read_text().splitlines() if row.startswith("VmRSS:")).split()[1]) * 1024
