"""Constants: a layer's demand → its milliseconds as TensorRT's profiler would measure them, by fitted parameters.

    time  = launch + start + (busy^P + moved^P)^(1/P)
    busy  = max(compute / compute share, steps · wait)
    moved = (bytes from memory / bandwidth + bytes from the L2 / (its bandwidth · L2 share)) / memory share

launch: the shortest kernel, with the profiler's events. start: extra time of GEMMs to fill their pipelines. busy: the
MACs at the share of the published rate that such kernels reach, and at least the time that the steps over K wait for
their operands. moved: the bytes at the share of the bandwidth that such kernels reach. P is between 1 (computing and
moving one after the other) and infinity (the longer of the two, the roofline); real kernels are in between, and real
engines hardly distinguish 1.25 and 2.

``utils/fit_simulated_times.py`` writes ``fitted.json`` from real engines; it holds aggregates over them, no layer's
data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from trex.simulator.timing.demand import Demand
from trex.simulator.timing.parameters import (
    EARLY_WAIT,
    L2_SHARE,
    LAUNCH,
    START,
    WAIT,
    compute_name,
    launch_name,
    memory_name,
)
from trex.simulator.timing.time_kinds import GEMMS, HOST, NOTHING

FILE = Path(__file__).resolve().parent / "fitted.json"
POWER = 1.5
HOST_MS = 0.002
"""Host code and synchronization in profiles: two steps of the timer, and no kernel."""
ASYNCHRONOUS_COPIES = (8, 0)
"""Compute capability since which a block loads the next operands while it multiplies."""


def layer_ms(launch: Any, start: Any, computed: Any, waited: Any, moved: Any) -> Any:
    """Milliseconds; every argument in milliseconds, efficiencies included, each a number or an array."""
    busy = (computed + waited + abs(computed - waited)) / 2
    return launch + start + (busy**POWER + moved**POWER) ** (1 / POWER)


@dataclass(frozen=True)
class Constants:
    """values: {parameter: value}. document: the whole file, with engines, spreads and intervals; empty for a fit that
    was not written.
    """

    values: Mapping[str, float]
    document: Mapping[str, Any] = field(default_factory=dict)

    def launch_ms(self, capability: tuple[int, int]) -> float:
        """Time of the shortest kernel; the common value for a compute capability without engines."""
        return self.values[LAUNCH] * self.values.get(launch_name(capability), 1.0)

    def wait_ms(self, capability: tuple[int, int]) -> float:
        """Minimum time of a step over K."""
        return self.values[WAIT if capability >= ASYNCHRONOUS_COPIES else EARLY_WAIT]

    def layer_ms(self, demand: Demand, capability: tuple[int, int]) -> float:
        """A layer's time in milliseconds."""
        kind = demand.kind
        if kind == NOTHING:
            return 0.0
        if kind == HOST:
            return HOST_MS
        values = self.values
        moved = (demand.far_ms + demand.near_ms / values[L2_SHARE]) / values[memory_name(kind)]
        computed = demand.compute_ms / values[compute_name(kind)]
        start = values[START] if kind in GEMMS else 0.0
        waited = demand.steps * self.wait_ms(capability)
        return float(layer_ms(self.launch_ms(capability), start, computed, waited, moved))


@lru_cache(maxsize=1)
def fitted() -> Constants:
    """The constants of the package."""
    document = json.loads(FILE.read_text(encoding="utf-8"))
    return Constants({name: entry["value"] for name, entry in document["constants"].items()}, document)
