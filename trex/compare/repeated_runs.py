"""Several runs per side → interval of the speed-up, from how much runs of one engine differ.

One run shows how its own inferences scatter, not how another start of the process, another clock or another day would
move all of them. With at least three runs in all, each run counts as one sample: its median.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from trex.compare.prediction import median_of
from trex.core.bounded_exponent import bounded_exp, bounded_expm1
from trex.core.counted import counted
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.perf.samples.detectable import ALPHA, POWER
from trex.perf.samples.student import t_quantile
from trex.plan.engine_plan import EnginePlan

FEWEST_PER_SIDE = 3
"""From so many runs on, each side has a spread of its own."""


@dataclass(frozen=True, slots=True)
class RepeatedRuns:
    """base, new: geometric means of the runs' medians. ratio: base over new; low, high: its 95 % interval. counts: runs
    per side. spread_pct: standard deviation between runs of one engine. detectable_pct: the smallest difference that so
    many runs can show (80 % power, 5 % level).
    """

    base: float
    new: float
    ratio: float
    low: float
    high: float
    counts: tuple[int, int]
    spread_pct: float
    detectable_pct: float

    @property
    def differs(self) -> bool:
        """Whether the interval excludes 1."""
        return not self.low <= 1.0 <= self.high

    @property
    def words(self) -> str:
        """``over 3 and 5 runs, which differ by 0.7 %``."""
        return f"over {_runs(self.counts)}, which differ by {self.spread_pct:.2g} %"


def middle_first(runs: Sequence[EnginePlan], device: Device | None = None) -> tuple[EnginePlan, ...]:
    """The runs, the one with the median time first: by GPU compute, else by latency, else by the sum of the layers."""
    if len(runs) < 2:
        return tuple(runs)
    performances = [Performance(run, device) for run in runs]
    for read in (
        lambda run: median_of(run, "computeMs"),
        lambda run: median_of(run, "latencyMs"),
        lambda run: run.reconciliation.measures.layers.ms,
    ):
        times = [(ms, index) for index, run in enumerate(performances) if (ms := read(run)) is not None]
        if times:
            middle = sorted(times)[(len(times) - 1) // 2][1]
            return (runs[middle], *(run for index, run in enumerate(runs) if index != middle))
    return tuple(runs)


def _runs(counts: tuple[int, int]) -> str:
    one, other = counts
    return f"{one} and {counted(other, 'run')}"


def repeated_runs(
    base: Sequence[float | None], new: Sequence[float | None], errors: Sequence[float] = ()
) -> RepeatedRuns | None:
    """base, new: one value per run, such as the median; None for a run without it. errors: relative standard errors of
    these values within their runs. None with fewer than three known values, or none on one side.

    A two-sample t test of y = ln(value), which already contains the scatter within runs: d = ȳ₁ − ȳ₂,
    interval e^(d ± t(0.975, ν) · e). With at least three runs per side Welch's (1947): e² = s₁²/k₁ + s₂²/k₂,
    ν = e⁴ / Σ (sᵢ²/kᵢ)² / (kᵢ − 1). With fewer, both sides share one spread (Student 1908): s² = Σ(y − ȳ)² / ν,
    ν = k₁ + k₂ − 2, e² = s² (1/k₁ + 1/k₂). No s² is below the mean of the squared errors within the runs: a few
    medians may agree by chance.
    """
    sides = [[math.log(value) for value in side if value is not None and value > 0.0] for side in (base, new)]
    counts = len(sides[0]), len(sides[1])
    if min(counts) < 1 or sum(counts) < 3:
        return None
    means = [math.fsum(side) / len(side) for side in sides]
    squares = [math.fsum((y - mean) ** 2 for y in side) for side, mean in zip(sides, means, strict=True)]
    least = math.fsum(error**2 for error in errors) / len(errors) if errors else 0.0
    freedom = float(sum(counts) - 2)
    variances = [max(sum(squares) / freedom, least)] * 2
    if min(counts) >= FEWEST_PER_SIDE:
        variances = [max(square / (count - 1), least) for square, count in zip(squares, counts, strict=True)]
    parts = [variance / count for variance, count in zip(variances, counts, strict=True)]
    error = math.sqrt(sum(parts))
    if min(counts) >= FEWEST_PER_SIDE and error > 0.0:
        freedom = error**4 / math.fsum(part**2 / (count - 1) for part, count in zip(parts, counts, strict=True))
    quantile = t_quantile(1.0 - ALPHA / 2.0, freedom)
    difference = means[0] - means[1]
    low, high = difference - quantile * error, difference + quantile * error
    return RepeatedRuns(
        bounded_exp(means[0]),
        bounded_exp(means[1]),
        bounded_exp(difference),
        bounded_exp(low),
        bounded_exp(high),
        counts,
        100.0 * math.sqrt(sum(variances) / 2.0),
        100.0 * bounded_expm1((quantile + t_quantile(POWER, freedom)) * error),
    )
