"""The predicted speed-up if one or both engines are simulated, and its error bars.

Samples of a simulation are generated, so they don't show whether a difference is significant. The known quantity is
each prediction's error bars, which the engine's files contain; they are meant to contain nine of ten real engines.

The speed-up lies between the base's shortest over the new engine's longest time and the base's longest over the new
engine's shortest time. That holds whenever both times lie within their error bars, however the two errors are related.
Predictions with the same constants often err in the same direction, so the interval is mostly too wide. A narrower one
is not justified: in validation, the ratio with the largest error was that of two variants of one network on one GPU.

A measured side contributes the 95 % interval of its median, or the drift within its run if that is larger. Error bars
exist for GPU compute only. They also hold for a latency without transfers, and for no other quantity.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from trex.core.provenance import Provenance
from trex.perf.expected import counts_once, expected_ms, is_predicted, model_sha256, unknown_work, written_range
from trex.perf.measures import Measure
from trex.perf.performance import Performance
from trex.perf.samples.statistics import SampleStatistics
from trex.perf.samples.steadiness import steadiness_of
from trex.plan.engine_plan import EnginePlan

Interval = tuple[float, float]

REMARK = (
    "Predicted samples don't show significance. Error bars are meant to contain nine of ten real engines (trex "
    "validate); those of the speed-up are the worst case of both engines."
)
NO_LAYER_BARS = (
    "Predictions have error bars for whole inferences, not for layers: the fastest engine per operation and its gain "
    "are estimates."
)
"""The remark wherever layers are compared by predicted times."""
PREDICTED = "predicted, not measured"
_NO_TRANSFERS = 1.005
"""Latency over GPU compute up to which the latency contains no transfers."""
_NOISE = 0.01
"""Share of its time by which a median may exceed the error bars, because of requested noise."""
_EQUAL = 1e-5
"""Relative tolerance of equal times: baselines keep six digits."""
_WORDS = {
    Provenance.MEASURED: "measured",
    Provenance.SIMULATED: "predicted",
    Provenance.SYNTHETIC: "synthetic",
    Provenance.BUILT_ON_CPU: "predicted",
}


@dataclass(frozen=True, slots=True)
class PredictedSpeedup:
    """base, new: provenance of their times. base_ms, new_ms: the intervals of their times in milliseconds; both None if
    one is unknown, and reason says why.
    """

    base: Provenance
    new: Provenance
    base_ms: Interval | None = None
    new_ms: Interval | None = None
    reason: str = ""

    @property
    def is_mixed(self) -> bool:
        """Whether only one side is predicted."""
        return self.base is not self.new

    @property
    def speedup(self) -> Interval | None:
        """Error bars of the base's time over the new engine's."""
        if self.base_ms is None or self.new_ms is None:
            return None
        return self.base_ms[0] / self.new_ms[1], self.base_ms[1] / self.new_ms[0]

    @property
    def origin(self) -> str:
        """``predicted, not measured``, or ``base is measured, new is predicted``."""
        return f"base is {_WORDS[self.base]}, new is {_WORDS[self.new]}" if self.is_mixed else PREDICTED


def prediction_of(left: Performance, right: Performance, key: str = "computeMs") -> PredictedSpeedup | None:
    """Of one column of both; None if neither side is predicted. Never raises."""
    origins = left.plan.provenance, right.plan.provenance
    if not any(origin.has_predicted_times for origin in origins):
        return None
    intervals, missing = [], dict[str, list[str]]()
    for name, side in (("base", left), ("new", right)):
        interval, reason = _interval(side, key)
        intervals.append(interval)
        if interval is None:
            missing.setdefault(reason, []).append(name)
    if missing:
        reasons = (reason.format(" and ".join(names)) for reason, names in missing.items())
        return PredictedSpeedup(*origins, reason="; ".join(reasons))
    return PredictedSpeedup(*origins, intervals[0], intervals[1])


def origin_of(plans: Sequence[EnginePlan]) -> str:
    """The origin of several engines' times; "" if none is predicted."""
    origins = {plan.provenance for plan in plans}
    if not any(origin.has_predicted_times for origin in origins):
        return ""
    words = list(dict.fromkeys(_WORDS[provenance] for provenance in Provenance if provenance in origins))
    return PREDICTED if len(words) == 1 else f"{' and '.join(words)} times mixed"


def error_pct(plan: EnginePlan, ms: float | None) -> Interval | None:
    """By how many percent less and more than ``ms`` of GPU compute a simulated inference may take; None without error
    bars that contain it.
    """
    bars = expected_ms(plan) if is_predicted(plan) else None
    if bars is None or not ms or not _contain(bars, ms):
        return None
    return 100.0 * max(0.0, 1.0 - bars[0] / ms), 100.0 * max(0.0, bars[1] / ms - 1.0)


def is_one_prediction(left: Performance, right: Performance) -> bool:
    """Whether both sides are the same prediction with equal layers and error bars, whatever the requested noise."""
    if not (is_predicted(left.plan) and is_predicted(right.plan)):
        return False
    bars, other_bars = written_range(left.plan), written_range(right.plan)
    names, other_names = ([layer.name for layer in side.plan.working_layers] for side in (left, right))
    if bars is None or other_bars is None or names != other_names or may_hide_work(left.plan, right.plan):
        return False
    return all(math.isclose(one, other, rel_tol=_EQUAL) for one, other in zip(bars, other_bars, strict=True))


def may_hide_work(left: EnginePlan, right: EnginePlan) -> bool:
    """Whether layers of unknown work, whose times are lower bounds, or passes of loops may differ: the sides are not
    known to be of one model file.
    """
    if not any(unknown_work(plan) or counts_once(plan) for plan in (left, right)):
        return False
    digest = model_sha256(left)
    return not digest or digest != model_sha256(right)


MEDIANS, MEANS = "medians", "means"


def measure_of(performance: Performance, key: str) -> Measure | None:
    measures = performance.reconciliation.measures
    return {"computeMs": measures.compute, "latencyMs": measures.latency, "enqueueMs": measures.enqueue}.get(key)


def median_of(performance: Performance, key: str) -> float | None:
    """The column's median over the per-query times, else from trtexec's summary, in milliseconds."""
    measure = measure_of(performance, key)
    if measure is not None and measure.ms is not None:
        return measure.ms
    column = performance.samples.columns.get(key)
    return column.median_ms if column is not None and column.count else None


def values_of(left: Performance, right: Performance, key: str) -> tuple[tuple[float | None, float | None], str]:
    """((of the left, of the right), what they are): medians; means, where a summary without queries has a mean only."""
    sides = [measure_of(side, key) for side in (left, right)]
    means = [None if measure is None else measure.mean_ms for measure in sides]
    has_median = [measure is None or measure.median_ms is not None for measure in sides]
    if all(has_median) or None in means:
        return (median_of(left, key), median_of(right, key)), MEDIANS
    return (means[0], means[1]), MEANS


def _interval(side: Performance, key: str) -> tuple[Interval | None, str]:
    """(shortest and longest time in milliseconds, else the reason with a placeholder for the side's name)."""
    ms = median_of(side, key)
    if ms is None or not ms > 0.0:
        return None, "no time in {}"
    if not is_predicted(side.plan):
        return _measured_interval(ms, side.samples.columns.get(key)), ""
    if key not in ("computeMs", "latencyMs"):
        return None, "predictions have error bars for GPU compute only"
    compute = median_of(side, "computeMs")
    if compute is None or not ms <= _NO_TRANSFERS * compute:
        return None, "predictions have no error bars for transfers, which this latency contains"
    bars = expected_ms(side.plan)
    if bars is None or not _contain(bars, compute):
        return None, "no error bars in {}"
    return (min(bars[0], ms), max(bars[1], ms)), ""


def _contain(bars: Interval, ms: float) -> bool:
    return bars[0] * (1.0 - _NOISE) <= ms <= bars[1] * (1.0 + _NOISE)


def _measured_interval(ms: float, samples: SampleStatistics | None) -> Interval:
    """The median itself if there are no samples."""
    if samples is None or not samples.count:
        return ms, ms
    low, high = samples.detectable.median_low_ms, samples.detectable.median_high_ms
    drift = ms * (steadiness_of(samples).uncertainty_pct or 0.0) / 100.0
    return min(ms - drift, ms if low is None else low), max(ms + drift, ms if high is None else high)
