"""Both sides of a comparison → a problem where the times of one side are of two runs, or those of the other's run.

One engine alone may be measured at two clocks. Two engines of one network on one machine have layers that add up to
about the same part of GPU compute and the cost of timing them: within 10 % on the real engines of ResNet-18, ResNet-50
and MobileNet, whatever their types.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import product
from statistics import median

import numpy as np
from numpy.typing import NDArray

from trex.compare.baseline import chosen_rows
from trex.compare.metric import metric_value
from trex.compare.metrics.layer import COPIED_PROFILE
from trex.compare.run_settings import SETTINGS, SHAPES, RunSettings, same_streams
from trex.core.counted import counted
from trex.core.note import Note
from trex.core.signed import signed
from trex.core.significant import significant
from trex.core.timings import HOST_MS
from trex.perf.performance import Performance
from trex.perf.samples.plan_samples import duration_of
from trex.plan.engine_plan import EnginePlan
from trex.plan.gaps import has_no_gaps
from trex.plan.time_notes import TWO_RUNS
from trex.plan.time_units import USUAL_OVERHEAD_MS

_OTHER = 1.4
"""Between the two sides' shares of layers in GPU compute."""
_USUAL = 0.9
"""That share of large layers; the side that is further from it is named."""
DISTINCT = 5
"""Values in a series of times: with fewer, equal series prove nothing."""
_FEWEST, _TRIED = 20, 100
"""Queries that are a part of a run, whatever comes before; rows by which that is looked for, and places that fit."""
_ROUNDED = 2e-6
"""A baseline keeps six digits."""
_ROUNDED_SHARE, _ROUNDED_MS = 1e-5, 1e-4
"""Of layer times: baselines have six digits, trtexec's table four decimals."""
_OTHER_COMPUTE = 1.02
"""Ratio of medians that two runs of one engine at one clock do not differ by."""
_UNSHARED, _OVERHEAD_OFF_MS = 0.1, 0.0005
"""Share of GPU compute, and of the cost of timing one layer, by which both may be off."""
OTHER_COUNT = 2.0
"""Between the numbers of layers, beyond which the cost of timing the few says little of the many."""
_DURATIONS = ("computeMs", "latencyMs", HOST_MS)
_HINT = "keep the files of one run together, and measure with locked clocks"


@dataclass(frozen=True, slots=True)
class UnsharedGrowth:
    """of_layers: whether it is the layers that grew more than GPU compute, and not the reverse."""

    of_layers: bool
    note: Note


@dataclass(frozen=True, slots=True)
class _Sums:
    """layers: those that take time; others cost none to be timed."""

    layers_ms: float
    compute_ms: float
    layers: int

    @property
    def overhead_ms(self) -> float:
        return USUAL_OVERHEAD_MS * self.layers

    @property
    def ratio(self) -> float:
        """Of a network 0.5 to 1.0: timing small layers costs most."""
        return self.layers_ms / (self.compute_ms + self.overhead_ms)

    @property
    def unusual(self) -> float:
        return abs(math.log(self.ratio / _USUAL))

    def differs(self, other: _Sums) -> bool:
        """By a factor that no clocks of one run explain, and by more than timing the layers costs."""
        excess = max(abs(self._excess_ms(other)), abs(other._excess_ms(self)))
        is_other = max(self.ratio, other.ratio) > _OTHER * min(self.ratio, other.ratio)
        return is_other and excess > max(self.overhead_ms, other.overhead_ms)

    def _excess_ms(self, other: _Sums) -> float:
        """Of the layers, over what the other side's would take in this GPU compute."""
        return self.layers_ms - other.layers_ms * self.compute_ms / other.compute_ms


def two_runs(base: Performance, new: Performance) -> Iterator[Note]:
    """At most one Note: layers that add up to another part of GPU compute than those of the other side. Queries of
    several streams share the GPU, so both sides must have as many.
    """
    left, right = _sums(base), _sums(new)
    before, after = (RunSettings(side).streams for side in (base, new))
    if left and right and left.differs(right) and (before is None or after is None or same_streams(before, after)):
        side, sums, other = ("new", right, left) if right.unusual > left.unusual else ("base", left, right)
        words = (
            f"the layers add up to {significant(sums.layers_ms, 3)} ms, GPU compute is "
            f"{significant(sums.compute_ms, 3)} ms; the other side has {significant(other.layers_ms, 3)} and "
            f"{significant(other.compute_ms, 3)} ms: these are two runs, or other clocks"
        )
        source = (new if side == "new" else base).plan.engine.source
        yield Note(TWO_RUNS, f"{side}: {words}", _HINT, source, "problem")


def unshared_growth(
    bases: Sequence[Performance], news: Sequence[Performance], factors: Sequence[float]
) -> UnsharedGrowth | None:
    """Where the GPU never waits: layers that grew without GPU compute, or GPU compute that grew without them; None if
    both agree or that is unknown.

    With the other side's cost of timing a layer, o, GPU compute is layers − number of layers · o, over one of factors:
    those of the machine's clocks. That is exact within 7 % on real engines of one network and machine.
    """
    sides = []
    for runs in (bases, news):
        known = [sums for run in runs if (sums := _sums(run)) is not None]
        if not known or not all(has_no_gaps(run.plan.query_times, run.plan.metadata) for run in runs):
            return None
        sides.append(_Sums(*(median(values) for values in zip(*map(astuple, known), strict=True))))
    base, new = sides
    if max(base.layers, new.layers) > OTHER_COUNT * min(base.layers, new.layers):
        return None
    expected_ms = new.layers_ms - new.layers * (base.layers_ms - base.compute_ms) / base.layers
    off_ms = min((expected_ms / factor - new.compute_ms for factor in factors), key=abs)
    if abs(off_ms) <= tolerance_ms(max(base.compute_ms, new.compute_ms), new.layers):
        return None
    layers, compute = (
        signed(100.0 * (now / before - 1.0))
        for before, now in ((base.layers_ms, new.layers_ms), (base.compute_ms, new.compute_ms))
    )
    words = f"the layers changed by {layers} % and GPU compute by {compute} %: these are two runs, or other clocks"
    return UnsharedGrowth(off_ms > 0.0, Note(TWO_RUNS, words, _HINT, news[0].plan.engine.source))


def tolerance_ms(compute_ms: float, layers: float) -> float:
    """How far GPU compute may be off what the layers and the cost of timing them leave of it."""
    return _UNSHARED * compute_ms + _OVERHEAD_OFF_MS * layers


def copied_queries(bases: Sequence[Performance], news: Sequence[Performance], name: str = "base") -> Iterator[Note]:
    """A Note for each pair of runs with the same queries, though their layers are not of one run, or though several
    runs show how much runs differ. name: of bases.
    """
    is_pair = len(bases) == len(news) == 1
    for base, new in product(bases, news):
        if not are_same_queries(base.plan, new.plan) and (is_pair or not _are_same_profiles_alone(base.plan, new.plan)):
            continue
        same = f"new: its times are those of {name} to the last digit"
        words = _other_kernels(base.plan, new.plan, name) or _other_layer_times(base.plan, new.plan)
        if words := words or _other_runs(base, new, name):
            message = f"{same}, but {words}: one has the times of the other"
            yield Note(TWO_RUNS, message, _HINT, new.plan.engine.source, "problem")
        elif not is_pair:
            hint = "measure the new engine again, and name every run once"
            yield Note(TWO_RUNS, f"{same}: one run counts on both sides", hint, new.plan.engine.source, "problem")


def copied_profiles(bases: Sequence[Performance], news: Sequence[Performance], name: str = "base") -> Iterator[Note]:
    """A Note for each pair of runs with the same layer times, though GPU compute or the kernels are others. name: of
    bases.
    """
    known = [[(run, times) for run in side if (times := _layer_times(run.plan)) is not None] for side in (bases, news)]
    for (base, before), (new, now) in product(*known):
        if _are_equal(before, now) and (
            words := _other_compute(base, new) or _other_kernels(base.plan, new.plan, name)
        ):
            message = (
                f"new: its layer times are those of {name} to the last digit, but {words}: they are of the other run"
            )
            yield Note(COPIED_PROFILE, message, _HINT, new.plan.engine.source, "problem")


def _layer_times(plan: EnginePlan) -> NDArray[np.float64] | None:
    """Sorted; None without a profile, or if nothing measured them."""
    if plan.layer_times is None or plan.provenance.has_predicted_times:
        return None
    return np.sort([record.average_ms for record in plan.layer_times.records if record.average_ms is not None])


def are_same_profiles(base: EnginePlan, new: EnginePlan) -> bool:
    """Whether the measured layer times are of one run."""
    before, now = _layer_times(base), _layer_times(new)
    return before is not None and now is not None and _are_equal(before, now)


def _are_same_profiles_alone(base: EnginePlan, new: EnginePlan) -> bool:
    """Whether they are of one run that has no other times."""
    has_others = any(plan.query_times is not None or plan.metadata.latency for plan in (base, new))
    return not has_others and are_same_profiles(base, new)


def are_same_queries(base: EnginePlan, new: EnginePlan) -> bool:
    """Whether the queries are of one run; of a baseline, which keeps some of them and no warm-up, too. Where one side
    has none, by trtexec's summary.
    """
    if any(plan.provenance.has_predicted_times for plan in (base, new)):
        return False
    if base.query_times is None or new.query_times is None:
        return _are_equal(*_summaries(base, new))
    sides = base.query_times, new.query_times
    few, many = sorted(sides, key=lambda queries: (queries.run_length, len(queries)))
    columns = [(duration_of(few, key), duration_of(many, key)) for key in _DURATIONS]
    part, whole = next(((a, b) for a, b in columns if a is not None and b is not None), (None, None))
    if part is None or whole is None:
        return False
    if many.part_of is not None:
        return few.part_of == many.part_of and _are_equal(part, whole)
    rows = chosen_rows(few.run_length, len(part))
    return any(_are_equal(part, whole[rows + start]) for start in _starts(part, whole, rows, few.run_length))


def _starts(
    part: NDArray[np.float64], whole: NDArray[np.float64], rows: NDArray[np.int64], count: int
) -> Iterator[int]:
    """Where in the whole run its part of so many queries may begin: at the end, where one side lacks the warm-up, or at
    the beginning, where a file was cut off; of a part that is long enough to prove it, anywhere.
    """
    last = len(whole) - count
    yield from {last, 0}
    if len(part) >= _FEWEST:
        candidates = np.arange(1, last)
        for index in np.unique(np.linspace(0, len(part) - 1, _TRIED).astype(np.int64)):
            values = whole[rows[index] + candidates]
            candidates = candidates[np.abs(values - part[index]) <= _ROUNDED * np.abs(part[index])]
        yield from map(int, candidates[:_TRIED])


def _summaries(base: EnginePlan, new: EnginePlan) -> Iterator[NDArray[np.float64]]:
    """The statistics of each side's summary that both sides know."""
    sides = base.metadata.latency, new.metadata.latency
    lines = [[side[name] for side in sides] for name in sorted(sides[0].keys() & sides[1].keys())]
    pairs = [
        values
        for statistic in ("minimum_ms", "maximum_ms", "mean_ms", "median_ms")
        for pair in lines
        if None not in (values := [getattr(line, statistic) for line in pair])
    ]
    return (np.array([pair[side] for pair in pairs], dtype=np.float64) for side in (0, 1))


def _are_equal(left: NDArray[np.float64], right: NDArray[np.float64]) -> bool:
    """But for the rounding of a baseline. Few values prove nothing: where the clock is coarse, they repeat."""
    if len(left) != len(right) or not len(left) or not _is_close(left[-1], right[-1]):
        return False
    return len(np.unique(left)) >= DISTINCT and np.allclose(left, right, rtol=_ROUNDED, atol=0.0, equal_nan=True)


def _is_close(left: float, right: float) -> bool:
    return left == right or not abs(left - right) > _ROUNDED * abs(right)


def _other_compute(base: Performance, new: Performance) -> str:
    """How GPU compute of two sides differs more than that of one run, in words; "" if it doesn't, or is unknown."""
    before, now = (side.reconciliation.measures.compute.ms for side in (base, new))
    if not before or not now or max(before, now) <= _OTHER_COMPUTE * min(before, now):
        return ""
    return f"GPU compute is {significant(now, 3)} and not {significant(before, 3)} ms"


def _other_kernels(base: EnginePlan, new: EnginePlan, name: str) -> str:
    """How the layers of two engines differ, in words; "" if they don't, or their files contain too little."""
    sides = (base, new)
    counts = [len(plan.engine.layers) for plan in sides]
    if base.engine.verbosity != new.engine.verbosity or not all(counts):
        return ""
    if counts[0] != counts[1]:
        return f"it has {counted(counts[1], 'layer')} and {name} {counts[0]:,}"
    kernels = [Counter(layer.tactic for layer in plan.engine.layers if layer.tactic) for plan in sides]
    other = sum((kernels[1] - kernels[0]).values())
    if not other or not kernels[0] & kernels[1]:  # without a common one, the names of one side are redacted
        return ""
    return counted(other, "layer has another kernel", "layers have other kernels")


def _other_layer_times(base: EnginePlan, new: EnginePlan) -> str:
    """By how much the layer times of two sides differ, in words; "" if by no more than rounding, or if unknown."""
    times = [np.sort([ms for ms in plan.layer_ms if ms is not None]) for plan in (base, new)]
    if not len(times[0]) or len(times[0]) != len(times[1]) or base.statistic != new.statistic:
        return ""
    off = np.abs(times[0] - times[1])
    if not (off > _ROUNDED_MS + _ROUNDED_SHARE * times[0]).any():
        return ""
    return f"its layer times are others by {significant(100.0 * float(off.sum() / times[0].sum()), 2)} %"


def _other_runs(base: Performance, new: Performance, name: str) -> str:
    """In what one run cannot be that of both, in words: its input shapes, or the build of its engine; "" if unknown."""
    setting = next(setting for setting in SETTINGS if setting.name == SHAPES)
    shapes = [setting.read(RunSettings(side)) for side in (base, new)]
    if shapes[0] and shapes[1] and not setting.equal(*shapes):
        return f"it ran at {setting.words(shapes[1])} and {name} at {setting.words(shapes[0])}"
    built = [str(side.plan.builder_cfg.get("Precision") or "") for side in (base, new)]
    return f"it was built for {built[1]} and {name} for {built[0]}" if all(built) and built[0] != built[1] else ""


def _sums(side: Performance) -> _Sums | None:
    """None where a sum is not known, or predicted; of several streams, layers overlap."""
    plan = side.plan
    layers, compute = metric_value("layer-sum", side), side.reconciliation.measures.compute.ms
    if plan.provenance.has_predicted_times or plan.layer_times is None or not layers or not compute:
        return None
    streams = {layer.stream for layer in plan.working_layers if layer.stream is not None}
    timed = sum(bool(record.ms) for record in plan.layer_times.records)
    return _Sums(layers, compute, timed) if len(streams) < 2 and timed else None
