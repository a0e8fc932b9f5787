"""SampleStatistics → Steadiness: whether the median of a run is certain, whether its tail is, and if not, why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trex.core.counted import counted
from trex.core.significant import significant
from trex.perf.samples.change_points import MATERIAL_PCT, Level
from trex.perf.samples.statistics import SampleStatistics

UNSTABLE_PCT = 2.5
"""trtexec warns of unstable times above this coefficient of variation (1 % before 10.13.2)."""
LONG_TAIL = 1.25
"""The tail is unsteady from this ratio of the 99th percentile to the median on: real runs stay below 1.08 or so."""
FEWEST_FOR_TAIL = 100
"""Of fewer samples the 99th percentile is the maximum."""
_EDGE = 0.05


@dataclass(frozen=True, slots=True)
class Steadiness:
    """is_steady: whether the median holds over the run; None with too few samples. It says nothing of the tail.
    findings: what makes it unsteady, in words, the largest effect first. remarks: effects that move the median by less
    than half a percent. tail: 99th percentile over the median, None with fewer than 100 samples.

    uncertainty_pct: the largest change found, in percent of the median: a smaller difference between two runs may be
    noise. 0 without changes, None if unknown.
    """

    is_steady: bool | None
    findings: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    uncertainty_pct: float | None = None
    tail: float | None = None

    @property
    def has_long_tail(self) -> bool:
        return self.tail is not None and self.tail >= LONG_TAIL

    @property
    def words(self) -> str:
        """The verdict on median and tail in a few words."""
        if self.is_steady is None:
            return "too few samples to check steadiness"
        verdict = "steady" if self.is_steady else "not steady"
        if self.tail is None or not self.has_long_tail:
            return verdict
        tail = f"(p99 is {significant(self.tail, 3)}× the median)"
        return (
            f"the median is steady, the tail is not {tail}" if self.is_steady else f"{verdict}, with a long tail {tail}"
        )


def steadiness_of(statistics: SampleStatistics) -> Steadiness:
    """A run is unsteady with two levels or a drift of half a percent of the median (levels of less than 5 % of the
    samples are remarks), with several modes, or with initial samples that move the mean by half a percent. Rare spikes
    leave a run steady: they affect its tail, not its median.
    """
    effects = [*_levels_or_drift(statistics), *_modes(statistics), *_beginning(statistics), *_spikes(statistics)]
    if pct := statistics.unsteady_pct:
        effects.append((pct, f"the whole run was unsteady by {pct:.1f} %: these are a part of it"))
    large = sorted((effect for effect in effects if effect[0] >= MATERIAL_PCT), key=lambda effect: -effect[0])
    remarks = tuple(words for change, words in effects if change < MATERIAL_PCT)
    tail = _tail(statistics)
    if large:
        return Steadiness(False, tuple(words for _, words in large), remarks, large[0][0], tail)
    if statistics.levels.changes is None and statistics.trend.drifts is None:
        return Steadiness(None, (), remarks, None, tail)
    return Steadiness(True, (), remarks, 0.0, tail)


def _tail(statistics: SampleStatistics) -> float | None:
    high, median = statistics.percentiles.get(99.0), statistics.median_ms
    is_known = high is not None and median > 0.0 and statistics.count >= FEWEST_FOR_TAIL
    return high / median if is_known and high is not None else None


_Effect = tuple[float, str]
"""(change of the median in percent, in words)"""


def _levels_or_drift(statistics: SampleStatistics) -> list[_Effect]:
    levels, trend = statistics.levels.levels, statistics.trend
    medians = [level.median_ms for level in levels]
    is_gradual = len(medians) > 2 and medians in (sorted(medians), sorted(medians, reverse=True))
    if trend.drifts and trend.change_pct is not None and (is_gradual or len(levels) < 2):
        way = "slower" if trend.change_pct > 0 else "faster"
        change = abs(trend.change_pct)
        return [(change, f"the inferences became {way} by {change:.1f} % over the run")]
    if len(levels) < 2:
        return []
    times = counted(len(levels) - 1, "change")
    largest = statistics.levels.largest_change_pct
    share = "" if largest is None else f" ({largest:.1f} %)"
    lowest, highest = significant(min(medians), 4), significant(max(medians), 4)
    words = f"{times} of level, between {lowest} and {highest} ms{share}"
    low, high = _held(levels)
    # From a level of 0 ms, as a coarse clock has, all of the higher one is the change.
    held = 100.0 * (high / low - 1.0 if low > 0.0 else high > low)
    if held < MATERIAL_PCT:
        strays = [level.behind - level.first for level in levels if not low <= level.median_ms <= high]
        runs = "in a row" if len(strays) == 1 else f"in {len(strays)} runs"
        amount = counted(sum(strays), "sample")
        words = f"{amount} {runs} at another level, up to {significant(max(medians), 4)} ms{share}"
    return [(held, words)]


def _held(levels: Sequence[Level]) -> tuple[float, float]:
    """Lowest and highest level without the most extreme 5 % of the samples at either end."""
    ordered = sorted((level.median_ms, level.behind - level.first) for level in levels)
    total = sum(length for _, length in ordered)
    ends = []
    for some in (ordered, ordered[::-1]):
        passed = 0
        for median, length in some:
            passed += length
            if passed > _EDGE * total:
                ends.append(median)
                break
    return ends[0], ends[1]


def _modes(statistics: SampleStatistics) -> list[_Effect]:
    modes = statistics.modes
    if len(modes.modes) < 2 or not modes.apart_pct:
        return []
    where = " and ".join(f"{significant(mode.median_ms, 4)} ms ({100.0 * mode.share:.0f} %)" for mode in modes.modes)
    order = "in runs" if modes.switches < 0.5 * modes.expected_switches else "alternating"
    return [(modes.apart_pct, f"the samples have {len(modes.modes)} modes, {where}, {order}")]


def _beginning(statistics: SampleStatistics) -> list[_Effect]:
    warm_up, excess = statistics.warm_up, statistics.warm_up.excess_pct
    if not warm_up.samples or not excess:
        return []
    way = "slower" if excess > 0 else "faster"
    first = "sample was" if warm_up.samples == 1 else f"{warm_up.samples:,} samples were"
    words = f"the first {first} {abs(excess):.1f} % {way} than the rest"
    return [(abs(excess) * warm_up.samples / statistics.count, words)]


def _spikes(statistics: SampleStatistics) -> list[_Effect]:
    spikes = statistics.spikes
    if not spikes.count or spikes.share is None or spikes.limit_ms is None:
        return []
    words = f"{counted(spikes.count, 'sample')} ({100 * spikes.share:.2g} %) above {significant(spikes.limit_ms, 4)} ms"
    if spikes.period is not None:
        where = "in bursts, " if spikes.in_bursts else ""
        apart = spikes.period * statistics.median_ms
        words += f", {where}one every {spikes.period} samples (about {apart:.3g} ms)"
    return [(0.0, words)]
