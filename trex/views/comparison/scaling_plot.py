"""EngineSeries → Lines: time per item of the batch over the batch, of the whole engine and its largest modules."""

from __future__ import annotations

from trex.compare.series import EngineSeries
from trex.views.plot import Axis, Empty, Lines, Plot

MOST = 8


def scaling_plot(series: EngineSeries) -> Plot | Empty:
    """A curve that falls gains by a larger batch; where it is level, a larger batch gains nothing per item."""
    curves = series.scaling
    if not curves:
        return Empty("the engines are no series of batch sizes", "compare engines that differ in the batch alone")
    shown = curves[: MOST + 1]
    saturated = curves[0].saturates_at
    left = len(curves) - len(shown)
    return Lines(
        "Time per item by batch",
        [float(batch) for batch in curves[0].batches],
        {each.name: each.item_ms for each in shown},
        Axis("batch", log=True),
        Axis("time per item", "ms", log=True),
        marks={} if saturated is None else {f"linear from {saturated}": float(saturated)},
        note=f"the longest {MOST} of {len(curves) - 1} modules" if left else "",
    )
