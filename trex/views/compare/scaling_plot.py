"""Series → Lines: time per item over the batch size, of the whole engine and its largest modules."""

from __future__ import annotations

from trex.compare.series import EngineSeries
from trex.views.chart import Chart
from trex.views.plot import Axis, Empty, Lines

MAX_MODULES = 8


def _draw(series: EngineSeries) -> Lines | Empty:
    curves = series.scaling
    if not curves:
        return Empty("the engines are not a series of batch sizes", "compare engines that differ only in their batch")
    engine, *modules = curves
    saturated = engine.saturates_at
    return Lines(
        [float(batch) for batch in engine.batches],
        {curve.name: curve.item_ms for curve in (engine, *modules[:MAX_MODULES])},
        Axis("batch", log=True),
        Axis("time per item", "ms", log=True),
        marks={} if saturated is None else {f"linear from {saturated}": float(saturated)},
        note=f"the {MAX_MODULES} slowest of {len(modules)} modules" if len(modules) > MAX_MODULES else "",
    )


SCALING = Chart(
    "scaling",
    "Time per item by batch",
    "Where a curve falls, a larger batch saves time per item; where it is level, a larger batch gains nothing.",
    _draw,
    "scaling",
)
