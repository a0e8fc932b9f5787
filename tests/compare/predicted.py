"""Small plans whose times were predicted or measured: ``predicted(1.0, 0.8, 1.3)``, ``measured(1.0)``."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tests.factories import conv, engine, t, time
from trex.core.metadata import Metadata
from trex.core.timings import LayerTimes, QueryTimes
from trex.plan.engine_plan import EnginePlan

_DEVICE = {"Selected Device": "NVIDIA A100", "SMs": "108"}


def predicted(
    ms: float,
    low: float | None = None,
    high: float | None = None,
    *,
    transfers: float = 0.0,
    layers: Mapping[str, float] | None = None,
    samples: int = 50,
    batch: int = 1,
    gpu: str = "NVIDIA A100",
    simulator: str = "",
    unknown_work: bool = False,
    digest: str = "",
) -> EnginePlan:
    """low, high: error bars, told nowhere without them. transfers: beside GPU compute in the latency, in ms. layers:
    their times. samples: all alike, as without ``--noise``. batch: of the input. unknown_work: whether a layer has it.
    digest: of the model.
    """
    section: dict[str, Any] = {"statement": "simulated"}
    if low is not None and high is not None:
        section |= {"expected_from_ms": low, "expected_to_ms": high}
    section |= {"predicted_by": simulator} if simulator else {}
    section |= {"unknown_work": {"layers": 1, "share": 0.25}} if unknown_work else {}
    section |= {"model_sha256": digest} if digest else {}
    metadata = Metadata(device=_DEVICE | {"Selected Device": gpu}, simulated=True, extra={"simulated": section})
    return _plan(metadata, [ms] * samples, transfers, layers or {"a": 0.9 * ms}, batch)


def measured(ms: float, *, seed: int = 1, count: int = 1000, scatter: float = 0.002) -> EnginePlan:
    times = ms * (1.0 + scatter * np.random.default_rng(seed).standard_normal(count))
    return _plan(Metadata(device=_DEVICE), times.tolist(), 0.0, {"a": 0.9 * ms})


def _plan(
    metadata: Metadata, times: list[float], transfers: float, layers: Mapping[str, float], batch: int = 1
) -> EnginePlan:
    shape = [batch, 8, 4, 4]
    made = [
        replace(conv(name, [t(f"x{at}", shape)], [t(f"x{at + 1}", shape)]), tactic="k", origins=(name,))
        for at, name in enumerate(layers)
    ]
    start = array("d", range(len(times)))
    columns = {
        "computeMs": array("d", times),
        "latencyMs": array("d", [each + transfers for each in times]),
        "startEnqMs": start,
        "endEnqMs": array("d", [each + 0.01 * times[0] for each in start]),
    }
    records = LayerTimes(tuple(time(name, ms) for name, ms in layers.items()))
    return EnginePlan(engine(*made, inputs=["x0"]), records, QueryTimes(columns) if times else None, metadata)
