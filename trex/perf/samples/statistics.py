"""One column of per-query times → SampleStatistics: all statistics of a series of times."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from trex.perf.samples.autocorrelation import Autocorrelation, autocorrelation_of
from trex.perf.samples.change_points import Levels, levels_of
from trex.perf.samples.detectable import Detectable, detectable_of
from trex.perf.samples.histogram import SampleHistogram, histogram_of
from trex.perf.samples.modes import Modes, modes_of
from trex.perf.samples.series import Floats, Usable, step_of, usable
from trex.perf.samples.spikes import Spikes, spikes_of
from trex.perf.samples.spread import LABELS, Spread, percentiles, spread_of
from trex.perf.samples.trend import SampleTrend, trend_of
from trex.perf.samples.warm_up import WarmUp, warm_up_of

ALL_ZERO = "every sample is 0 ms"
_COARSE = 0.05


@dataclass(frozen=True, slots=True)
class SampleStatistics:
    """Statistics of one series. Times in milliseconds; NaN or None, and a reason, if unknown.

    name: the column's key (``computeMs``); label: in words. count: usable samples, after ``warm_up_rows`` leading rows
    of warm-up. left_out: number of unusable rows after them, in words, else "". percentiles: {label in percent: time},
    see ``percentiles``. step_ms: resolution, None if unknown. trend, levels, spikes: without the initial samples that
    ``warm_up`` found. reason: why there are no statistics, "" if there are. unsteady_pct: by how much the run drifted
    that the samples are a part of; 0 if they are all of it.
    """

    name: str
    label: str
    count: int
    warm_up_rows: int
    left_out: str
    percentiles: Mapping[float, float]
    spread: Spread
    step_ms: float | None
    histogram: SampleHistogram | None
    warm_up: WarmUp
    trend: SampleTrend
    levels: Levels
    modes: Modes
    autocorrelation: Autocorrelation
    detectable: Detectable
    spikes: Spikes
    reason: str = ""
    caveats: tuple[str, ...] = field(default=())
    unsteady_pct: float = 0.0

    @property
    def median_ms(self) -> float:
        return self.spread.median_ms

    @property
    def mean_ms(self) -> float:
        return self.spread.mean_ms


def statistics_of(
    samples: Sequence[float] | Floats,
    name: str = "",
    label: str = "",
    warm_up_rows: int = 0,
    coarsest_step_ms: float = 0.0,
    zero_is_a_time: bool = False,
    labels: Sequence[float] = LABELS,
) -> SampleStatistics:
    """Statistics of a series in the order of measurement.

    coarsest_step_ms: the known step of the clock, in addition to the step found in the samples. zero_is_a_time: see
    ``usable``. One sort, some Fourier transforms, and the rest is linear
    or on at most 10 000 blocks.
    """
    times = usable(samples, warm_up_rows, zero_is_a_time=zero_is_a_time)
    values = times.values
    ordered = np.sort(values)
    spread = spread_of(values, ordered)
    shown = step_of(ordered)
    step = max(shown or 0.0, coarsest_step_ms)
    warm_up = warm_up_of(values)
    begun = warm_up.samples or 0
    correlation = autocorrelation_of(values, spread.median_ms)
    histogram = histogram_of(ordered, step)
    return SampleStatistics(
        name,
        label or name,
        len(values),
        warm_up_rows,
        times.words,
        percentiles(ordered, labels),
        spread,
        step or None,
        histogram,
        warm_up,
        trend_of(values[begun:], spread.median_ms),
        levels_of(values[begun:], spread.median_ms, step, begun),
        modes_of(values, ordered, histogram, correlation.median_time or 1.0),
        correlation,
        detectable_of(ordered, spread, correlation, step),
        spikes_of(values[begun:], spread),
        _no_times(times),
        tuple(_caveats(spread, step)),
    )


def _no_times(times: Usable) -> str:
    if len(times):
        return ""
    if times.zero and not times.unknown and not times.negative:
        return ALL_ZERO
    return f"there are no samples ({times.words})" if times.left_out else "there are no samples"


def _caveats(spread: Spread, step: float) -> list[str]:
    median = spread.median_ms
    if math.isnan(median) or step <= _COARSE * median:
        return []
    words = f", {100.0 * step / median:.0f} % of the median" if median > 0.0 else ""
    return [f"the samples come in steps of {step * 1000:.3g} µs{words}"]
