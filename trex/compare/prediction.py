"""Two runs of which one or both were predicted → Prediction: between which their speed-up is expected, and why.

Samples of a simulation hardly scatter, and how they scatter was made: they tell nothing of whether a difference is
real. What is known is each prediction's error bars, which the engine's own files tell: how far such predictions missed
real engines at worst.

The speed-up is expected between the least time of the base over the most of the new engine, and the most over the
least. That holds whenever both times lie within their bars, however the errors of both are related. Two predictions
with the same constants often miss to the same side, so the interval is mostly wider than it need be; but nothing allows
a narrower one: the engines judged whose ratio was missed most are two variants of one network on one GPU, of which one
takes longer and the other less than predicted.

A side that was measured takes the 95 % interval of its median, and what its run wandered by itself where that is more.
Bars are told of GPU compute alone. They are those of the latency where that holds no transfers; of anything else there
are none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from trex.core.provenance import Provenance
from trex.perf.expected import expected_ms, is_predicted
from trex.perf.performance import Performance
from trex.perf.samples.statistics import SampleStatistics
from trex.perf.samples.steadiness import steadiness_of
from trex.plan.engine_plan import EnginePlan

Interval = tuple[float, float]

REMARK = (
    "Samples of a simulation do not tell whether a difference is real. Error bars are how far such predictions missed "
    "real engines at worst; those of the speed-up are the worst case of both."
)
OF_LAYERS = (
    "Predictions tell error bars of whole inferences, none of single layers: which engine is the faster for one "
    "operation is a guess, and so is what is gained."
)
"""What must be said where layers are told apart by predicted times."""
RULE = (
    "from the base's least time over the new engine's most to its most over the new one's least: that holds whenever "
    "both times lie between their bars, however the errors of both are related. Errors of two predictions often cancel "
    "in part, but those of two variants of one network on one GPU have been seen to go opposite ways"
)
_NO_TRANSFERS = 1.005
"""Latency over GPU compute up to which no transfers are in it."""
_NEAR = 0.01
"""By which part of its time a median may be beyond bars by noise that was asked for."""
_SAME = 1e-5
"""Up to which part of a time two are the same: baselines keep six digits."""
_WORDS = {
    Provenance.MEASURED: "measured",
    Provenance.SIMULATED: "predicted",
    Provenance.SYNTHETIC: "made up",
}


@dataclass(frozen=True, slots=True)
class Prediction:
    """base, new: where their times are from. base_ms, new_ms: between which they lie, in milliseconds; both None
    where it is not known of one of them, and reason says why.
    """

    base: Provenance
    new: Provenance
    base_ms: Interval | None = None
    new_ms: Interval | None = None
    reason: str = ""

    @property
    def is_mixed(self) -> bool:
        """Whether the times of one side are no prediction."""
        return self.base is not self.new

    @property
    def unlike(self) -> str:
        """What is not like what, in words; "" when both were predicted."""
        if not self.is_mixed:
            return ""
        return f"not like with like: the base was {_WORDS[self.base]}, the new engine {_WORDS[self.new]}"

    @property
    def bars(self) -> str:
        """What the speed-up's interval is of, in words."""
        return "the prediction's error bars" if self.is_mixed else "the predictions' error bars"

    @property
    def speedup(self) -> Interval | None:
        """Between which the base's time over the new engine's is expected."""
        if self.base_ms is None or self.new_ms is None:
            return None
        return self.base_ms[0] / self.new_ms[1], self.base_ms[1] / self.new_ms[0]

    @property
    def origin(self) -> str:
        """How both came about, behind figures: ``predicted, not measured``."""
        if not self.is_mixed:
            return "predicted, not measured"
        return f"{_WORDS[self.base]} against {_WORDS[self.new]}, not like with like"


def prediction_of(left: Performance, right: Performance, key: str = "computeMs") -> Prediction | None:
    """Of one column of both; None when neither side was predicted. Nothing raises."""
    origins = left.plan.provenance, right.plan.provenance
    if Provenance.SIMULATED not in origins:
        return None
    ends, missing = [], []
    for name, side in (("base", left), ("new engine", right)):
        found, reason = _ends(side, key)
        ends.append(found)
        if found is None:
            missing.append(reason.format(name))
    if missing:
        return Prediction(*origins, reason="; ".join(dict.fromkeys(missing)))
    return Prediction(*origins, ends[0], ends[1])


def origin_of(plans: Sequence[EnginePlan]) -> str:
    """How the times of several engines came about, behind figures; "" when none was predicted."""
    origins = {plan.provenance for plan in plans}
    if Provenance.SIMULATED not in origins:
        return ""
    if len(origins) == 1:
        return "predicted, not measured"
    return f"{' beside '.join(_WORDS[each] for each in Provenance if each in origins)}, not like with like"


def error_pct(plan: EnginePlan, ms: float | None) -> Interval | None:
    """By how much less and more than ``ms`` of GPU compute a predicted inference is expected to take, in percent; None
    where no error bars are told, or none that hold it.
    """
    ends = expected_ms(plan) if is_predicted(plan) else None
    if ends is None or not ms or not ends[0] * (1.0 - _NEAR) <= ms <= ends[1] * (1.0 + _NEAR):
        return None
    return 100.0 * max(0.0, 1.0 - ends[0] / ms), 100.0 * max(0.0, ends[1] / ms - 1.0)


def is_one_prediction(left: Performance, right: Performance) -> bool:
    """Whether both sides are the same prediction, whatever noise was asked for: layers and error bars are alike."""
    if not (is_predicted(left.plan) and is_predicted(right.plan)):
        return False
    mine, theirs = expected_ms(left.plan), expected_ms(right.plan)
    names, others = ([each.name for each in side.plan.layers] for side in (left, right))
    if mine is None or theirs is None or names != others:
        return False
    return all(math.isclose(one, other, rel_tol=_SAME) for one, other in zip(mine, theirs, strict=True))


def median_of(performance: Performance, key: str) -> float | None:
    """The column's median of the trace, else of trtexec's summary, in milliseconds."""
    measures = performance.reconciliation.measures
    known = {"computeMs": measures.compute, "latencyMs": measures.latency, "enqueueMs": measures.enqueue}.get(key)
    if known is not None and known.ms is not None:
        return known.ms
    column = performance.samples.columns.get(key)
    return column.median_ms if column is not None and column.count else None


def _ends(side: Performance, key: str) -> tuple[Interval | None, str]:
    """(least and most of a side in milliseconds, else why they are not known, with a place for the side's name)."""
    ms = median_of(side, key)
    if ms is None or not ms > 0.0:
        return None, "the time of the {} is not known"
    if not is_predicted(side.plan):
        return _of_measurement(ms, side.samples.columns.get(key)), ""
    if key not in ("computeMs", "latencyMs"):
        return None, "predictions tell error bars of GPU compute alone"
    compute = median_of(side, "computeMs")
    if compute is None or not ms <= _NO_TRANSFERS * compute:
        return None, "predictions tell no error bars of transfers, which this latency holds"
    ends = expected_ms(side.plan)
    if ends is None or not ends[0] * (1.0 - _NEAR) <= compute <= ends[1] * (1.0 + _NEAR):
        return None, "the files of the {} tell no error bars"
    return (min(ends[0], ms), max(ends[1], ms)), ""


def _of_measurement(ms: float, samples: SampleStatistics | None) -> Interval:
    """The median itself where there are no samples."""
    if samples is None or not samples.count:
        return ms, ms
    low, high = samples.detectable.median_low_ms, samples.detectable.median_high_ms
    wandered = ms * (steadiness_of(samples).uncertainty_pct or 0.0) / 100.0
    return min(ms - wandered, ms if low is None else low), max(ms + wandered, ms if high is None else high)
