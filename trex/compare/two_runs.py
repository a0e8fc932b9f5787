"""Both sides of a comparison → a problem where the times of one side are of two runs, or those of the other's run.

One engine alone may be measured at two clocks. Two engines of one network on one machine have layers that add up to
about the same part of GPU compute and the cost of timing them: within 10 % on the real engines of ResNet-18, ResNet-50
and MobileNet, whatever their types.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trex.compare.baseline import chosen_rows
from trex.compare.metric import metric_value
from trex.compare.metrics.layer import COPIED_PROFILE
from trex.core.counted import counted
from trex.core.note import Note
from trex.core.significant import significant
from trex.core.timings import QueryTimes
from trex.perf.performance import Performance
from trex.perf.samples.plan_samples import duration_of
from trex.plan.engine_plan import EnginePlan
from trex.plan.time_units import TWO_RUNS, USUAL_OVERHEAD_MS

_OTHER = 1.4
"""Between the two sides' shares of layers in GPU compute."""
_USUAL = 0.9
"""That share of large layers; the side that is further from it is named."""
DISTINCT = 5
"""Values in a series of times: fewer may repeat where the clock is coarse, and equal series prove nothing."""
_ROUNDED = 2e-6
"""A baseline keeps six digits."""
_OTHER_TIMES, _OTHER_COMPUTE = 0.1, 1.02
"""Part of the layers' sum, and ratio of medians, that two runs of one engine at one clock do not differ by."""
_HINT = "keep the files of one run together, and measure with locked clocks"


@dataclass(frozen=True, slots=True)
class _Sums:
    layers_ms: float
    compute_ms: float
    overhead_ms: float

    @property
    def ratio(self) -> float:
        """Of a network 0.5 to 1.0: timing small layers costs most."""
        return self.layers_ms / (self.compute_ms + self.overhead_ms)

    @property
    def unusual(self) -> float:
        return abs(math.log(self.ratio / _USUAL))

    def differs(self, other: _Sums) -> bool:
        """By a factor that no clocks of one run explain, and by more than timing the layers costs."""
        excess = self.layers_ms - other.layers_ms * self.compute_ms / other.compute_ms
        is_other = max(self.ratio, other.ratio) > _OTHER * min(self.ratio, other.ratio)
        return is_other and abs(excess) > max(self.overhead_ms, other.overhead_ms)


def two_runs(base: Performance, new: Performance) -> Iterator[Note]:
    """At most one Note."""
    sources = {"base": base.plan.engine.source, "new": new.plan.engine.source}
    left, right = _sums(base), _sums(new)
    if _are_same_queries(base.plan, new.plan):
        if words := _other_layers(base.plan, new.plan):
            yield _copied(words, sources["new"])
    elif left and right and left.differs(right):
        name, sums, other = ("new", right, left) if right.unusual > left.unusual else ("base", left, right)
        words = (
            f"the layers add up to {significant(sums.layers_ms, 3)} ms, GPU compute is "
            f"{significant(sums.compute_ms, 3)} ms; the other side has {significant(other.layers_ms, 3)} and "
            f"{significant(other.compute_ms, 3)} ms: these are two runs, or other clocks"
        )
        yield Note(TWO_RUNS, f"{name}: {words}", _HINT, sources[name], "problem")


def copied_queries(bases: Sequence[Performance], news: Sequence[Performance]) -> Iterator[Note]:
    """At most one Note: of repetitions, a run whose queries are those of a run of the other engine."""
    known = {key: base.plan for base in bases if (key := _key(base.plan))}
    for new in news:
        base = known.get(_key(new.plan))
        if base is not None and (words := _other_layers(base, new.plan)):
            yield _copied(words, new.plan.engine.source)
            return


def copied_profile(base: Performance, new: Performance) -> Iterator[Note]:
    """A Note if the layer times of both sides are of one run, and GPU compute is not."""
    records = [side.plan.layer_times.records if side.plan.layer_times else () for side in (base, new)]
    times = [np.sort([record.average_ms for record in of if record.average_ms is not None]) for of in records]
    compute = [side.reconciliation.measures.compute.ms for side in (base, new)]
    if any(side.plan.provenance.has_predicted_times for side in (base, new)) or not all(compute):
        return
    slower, faster = max(ms or 0.0 for ms in compute), min(ms or 0.0 for ms in compute)
    is_same = len(times[0]) == len(times[1]) and np.allclose(times[0], times[1], rtol=_ROUNDED, atol=0.0)
    if is_same and len(np.unique(times[0])) >= DISTINCT and slower > _OTHER_COMPUTE * faster:
        now, before = (significant(ms or 0.0, 3) for ms in reversed(compute))
        words = f"its layer times are base's to the last digit, but GPU compute is {now} and not {before} ms"
        yield Note(COPIED_PROFILE, f"new: {words}: they are of the other run", _HINT, new.plan.engine.source, "problem")


def _copied(words: str, source: str) -> Note:
    message = f"new: its samples are base's to the last digit, but {words}: the times of one side are the other's"
    return Note(TWO_RUNS, message, _HINT, source, "problem")


def _key(plan: EnginePlan) -> bytes:
    """Equal for equal queries; b"" where they prove nothing."""
    values = np.empty(0) if plan.query_times is None else _queries(plan.query_times, whole=True)
    return values.tobytes() if len(np.unique(values)) >= DISTINCT else b""


def _are_same_queries(base: EnginePlan, new: EnginePlan) -> bool:
    """Whether the queries are of one run, or in a baseline a part of them; not where the clock shows few values."""
    sides = sorted((base, new), key=lambda plan: len(plan.query_times or ()))
    if any(plan.query_times is None or plan.provenance.has_predicted_times for plan in sides):
        return False
    is_part = sides[0].query_times is not None and sides[0].query_times.is_part
    few, many = (_queries(plan.query_times, whole=not is_part) for plan in sides if plan.query_times is not None)
    if is_part and len(few) < len(many):
        many = many[chosen_rows(len(many), len(few))]
    if len(few) != len(many) or len(np.unique(few)) < DISTINCT:
        return False
    return np.allclose(few, many, rtol=_ROUNDED, atol=0.0, equal_nan=True)


def _queries(queries: QueryTimes, *, whole: bool) -> NDArray[np.float64]:
    """GPU compute of each; without the warm-up if not ``whole``: its length may be known on one side alone."""
    column = duration_of(queries, "computeMs")
    return np.empty(0) if column is None else column[0 if whole else queries.warm_up_rows or 0 :]


def _other_layers(base: EnginePlan, new: EnginePlan) -> str:
    """In which way the layers of two sides are not those of one run, in words; "" if they may be."""
    sides = (base, new)
    if all(plan.engine.verbosity == "detailed" for plan in sides):
        counts = [len(plan.engine.layers) for plan in sides]
        if counts[0] != counts[1]:
            return f"it has {counted(counts[1], 'layer')} and base {counts[0]:,}"
        kernels = [Counter(layer.tactic for layer in plan.engine.layers if layer.tactic) for plan in sides]
        other = sum((kernels[1] - kernels[0]).values())
        if other and kernels[0] & kernels[1]:  # without a common one, the names of one side are redacted
            return counted(other, "layer has another kernel", "layers have other kernels")
    times = [np.sort([ms for ms in plan.layer_ms if ms is not None]) for plan in sides]
    if len(times[0]) and len(times[0]) == len(times[1]):
        difference = float(np.abs(times[0] - times[1]).sum() / times[0].sum())
        if difference > _OTHER_TIMES:
            return f"its layer times are others by {100.0 * difference:.0f} %"
    return ""


def _sums(side: Performance) -> _Sums | None:
    """None where a sum is not known, or predicted; of several streams, layers overlap."""
    plan = side.plan
    layers, compute = metric_value("layer-sum", side), side.reconciliation.measures.compute.ms
    if plan.provenance.has_predicted_times or plan.layer_times is None or not layers or not compute:
        return None
    streams = {layer.stream for layer in plan.working_layers if layer.stream is not None}
    return _Sums(layers, compute, USUAL_OVERHEAD_MS * len(plan.layer_times.records)) if len(streams) < 2 else None
