"""SimulatedEngine and a seed → times of single queries with a made-up scatter; all alike without a seed."""

from __future__ import annotations

from trex.simulator.artifacts import QUERIES
from trex.simulator.engine_file import SimulatedEngine
from trex.simulator.timing.samples import samples

Samples = tuple[float, ...]


def scattered(engine: SimulatedEngine, seed: str) -> tuple[list[Samples] | None, Samples]:
    """(samples of each layer, of GPU compute) in milliseconds; (None, the same time always) without a seed."""
    if not seed:
        return None, samples(engine.compute_ms, None, QUERIES)
    layers = [samples(ms or 0.0, f"{seed} {place}", QUERIES) for place, ms in enumerate(engine.layer_ms)]
    return layers, samples(engine.compute_ms, seed, QUERIES)
