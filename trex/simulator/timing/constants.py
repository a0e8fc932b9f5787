"""Constants: the fitted parameters and the spread of their predictions, read from ``fitted.json``.

``utils/fit_simulated_times.py`` writes that file from real engines; it holds aggregates over them, no layer's data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from trex.simulator.timing.demand import Demand
from trex.simulator.timing.formula import layer_ms
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
from trex.simulator.timing.time_kinds import HOST, NOTHING, PRODUCTS

FILE = Path(__file__).resolve().parent / "fitted.json"
HOST_MS = 0.002
"""What profiles tell of host code and synchronization: two steps of their timer, and no kernel."""
ASYNCHRONOUS_COPIES = (8, 0)
"""Compute capability since which a block loads the next operands while it multiplies."""


@dataclass(frozen=True)
class Constants:
    """values: {parameter: value}. document: the whole file, with engines, spreads and intervals; empty for a fit that
    was not written.
    """

    values: Mapping[str, float]
    document: Mapping[str, Any] = field(default_factory=dict)

    def launch_ms(self, capability: tuple[int, int]) -> float:
        """What the shortest kernel takes; of a compute capability that no engine tells of, that of all."""
        return self.values[LAUNCH] * self.values.get(launch_name(capability), 1.0)

    def wait_ms(self, capability: tuple[int, int]) -> float:
        """What a step over K waits at least."""
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
        start = values[START] if kind in PRODUCTS else 0.0
        waited = demand.steps * self.wait_ms(capability)
        return float(layer_ms(self.launch_ms(capability), start, computed, waited, moved))


@lru_cache(maxsize=1)
def fitted() -> Constants:
    """The constants that come with the package."""
    document = json.loads(FILE.read_text(encoding="utf-8"))
    return Constants({name: entry["value"] for name, entry in document["constants"].items()}, document)
