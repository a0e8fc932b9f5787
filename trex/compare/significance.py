"""How much faster the new engine is, with which confidence, and whether the difference is significant.

If a side is simulated, nothing is called significant: the interval is that of the predictions' error bars, and the
outcome is what is predicted (see ``trex.compare.prediction``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import NormalDist

import numpy as np

from trex.compare.block_medians import blocks_differ
from trex.compare.layer_times import ratio
from trex.compare.prediction import MEDIANS, PredictedSpeedup, is_one_prediction, median_of, prediction_of, values_of
from trex.compare.repeated_runs import RepeatedRuns, repeated_runs
from trex.core.signed import signed
from trex.perf.expected import is_predicted
from trex.perf.performance import Performance
from trex.perf.samples.change_points import MATERIAL_PCT
from trex.perf.samples.detectable import ALPHA, POWER
from trex.perf.samples.plan_samples import COLUMNS, duration_of
from trex.perf.samples.sample_comparison import SampleComparison, compare_samples
from trex.perf.samples.series import Floats, block_medians, usable
from trex.perf.samples.statistics import SampleStatistics
from trex.perf.samples.steadiness import steadiness_of

_FEWEST_EFFECTIVE, _APART = 20.0, 3.0
_ROUNDED = 1.01
"""Six digits of a sample of some steps."""


class SpeedOutcome(Enum):
    """Of the new engine. SAME: no significant difference, whatever its size, or one within the error bars of a
    prediction. PREDICTED_FASTER, PREDICTED_SLOWER: by more than the error bars, if at least one side is simulated.
    """

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "no significant difference"
    UNKNOWN = "unknown"
    PREDICTED_FASTER = "predicted faster"
    PREDICTED_SLOWER = "predicted slower"

    @classmethod
    def of(cls, low: float, high: float, is_predicted: bool = False) -> SpeedOutcome:
        """By the interval of the speed-up."""
        if low > 1.0:
            return cls.PREDICTED_FASTER if is_predicted else cls.FASTER
        if high < 1.0:
            return cls.PREDICTED_SLOWER if is_predicted else cls.SLOWER
        return cls.SAME

    @property
    def is_faster(self) -> bool:
        """Whether faster, measured or predicted."""
        return self in (SpeedOutcome.FASTER, SpeedOutcome.PREDICTED_FASTER)


@dataclass(frozen=True, slots=True)
class Significance:
    """The change of one quantity and its significance.

    key: the column (``computeMs``); label: in words. left_ms, right_ms: medians, or means (kind), None if unknown.
    speedup: left_ms over right_ms, above 1 if the right is faster; low, high: its 95 % interval, None without samples;
    for predictions, the error bars. left, right: statistics of measured samples. comparison: bootstrap and rank test.
    detectable_pct: the smallest difference that two such runs can show (80 % power, 5 % level). drift_pct: the largest
    within an unsteady run. uncertainty_pct: that, or the timer's step where it is coarser than half a percent: a
    smaller difference may be either. apart_pct: by how much medians must differ where a run drifts slowly. reason: why
    the outcome is unknown or not significant, else "". prediction: set if a side is simulated. runs: set if a side has
    several; left_ms and right_ms are then their means.
    """

    key: str
    label: str
    left_ms: float | None
    right_ms: float | None
    outcome: SpeedOutcome
    speedup: float | None = None
    low: float | None = None
    high: float | None = None
    left: SampleStatistics | None = None
    right: SampleStatistics | None = None
    comparison: SampleComparison | None = None
    detectable_pct: float | None = None
    uncertainty_pct: float = 0.0
    drift_pct: float = 0.0
    apart_pct: float = 0.0
    is_one_run: bool = False
    reason: str = ""
    prediction: PredictedSpeedup | None = None
    runs: RepeatedRuns | None = None
    kind: str = MEDIANS

    @property
    def change_pct(self) -> float | None:
        """Right over left time, minus one, in percent: negative is faster."""
        return None if not self.speedup else 100.0 * (1.0 / self.speedup - 1.0)

    @property
    def shown_margin_pct(self) -> float | None:
        """``margin_pct`` for one decimal: 0.0 only for one run compared with itself."""
        return max(self.margin_pct, 0.1) if self.margin_pct else self.margin_pct

    @property
    def margin_pct(self) -> float | None:
        """Half the width of ``change_pct``'s 95 % interval; None for predictions, which have none."""
        return None if not self.low or not self.high or self.prediction else 50.0 * (1.0 / self.low - 1.0 / self.high)

    @property
    def difference_ms(self) -> float | None:
        """Right minus left: negative is faster."""
        return None if self.left_ms is None or self.right_ms is None else self.right_ms - self.left_ms

    @property
    def support_pct(self) -> float | None:
        """The smallest difference that these runs can show: ``detectable_pct``, or what else a smaller one may be."""
        return None if self.detectable_pct is None else max(self.detectable_pct, self.uncertainty_pct, self.apart_pct)

    @property
    def is_significant(self) -> bool | None:
        """None if unknown, and for predictions."""
        unknown = self.outcome is SpeedOutcome.UNKNOWN or self.prediction
        return None if unknown else self.outcome is not SpeedOutcome.SAME

    @property
    def error_bars(self) -> str:
        """``error bars 1.31× to 2.63×`` for a predicted speed-up; "" without them."""
        return error_bars(self.low, self.high) if self.prediction and not self.is_one_run else ""

    @property
    def times(self) -> str:
        """``GPU compute 0.8622 → 0.8826 ms (+2.4 % ± 0.1)``, or with the error bars of a prediction."""
        if self.left_ms is None or self.right_ms is None or self.change_pct is None:
            return self.label
        margin = "" if self.shown_margin_pct is None else f" ± {self.shown_margin_pct:.1f}"
        if self.error_bars and self.low and self.high:
            margin = f", error bars {signed(100.0 / self.high - 100.0, 0)} to {signed(100.0 / self.low - 100.0, 0)} %"
        return f"{self.label} {self.left_ms:.4g} → {self.right_ms:.4g} ms ({signed(self.change_pct)} %{margin})"

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        if self.change_pct is None or self.left_ms is None or self.right_ms is None:
            return f"Can't tell which is faster by {self.label}: {self.reason}."
        if self.prediction is not None:
            return self._predicted(self.prediction)
        if self.is_one_run and self.outcome is not SpeedOutcome.UNKNOWN:
            return f"No difference: both sides have the same {self.label} samples (one run compared with itself)."
        if self.outcome is SpeedOutcome.UNKNOWN:
            looks = f"new looks {_speed_words(self.speedup)}" if self.change_pct else "both look equally fast"
            return f"Can't tell which is faster: {self.reason}. By the {self.kind} {looks}: {self.times}."
        if self.outcome is SpeedOutcome.SAME:
            least = "" if self.support_pct is None else f"; these runs can show {self.support_pct:.2g} % or more"
            why = f" ({self.reason})" if self.reason else ""
            return f"No significant difference {self.scope}: {self.times}{least}{why}."
        return f"New is {_speed_words(self.speedup)} {self.scope}: {self.times}."

    @property
    def scope(self) -> str:
        """What the verdict covers: ``within these two runs``, or ``over 3 and 5 runs, which differ by 0.7 %``."""
        return "within these two runs" if self.runs is None else self.runs.words

    def _predicted(self, prediction: PredictedSpeedup) -> str:
        """The verdict if a side is simulated."""
        if self.is_one_run and self.outcome is not SpeedOutcome.UNKNOWN:
            return f"No difference: both sides are the same prediction ({self.times})."
        speed = _speed_words(self.speedup)
        start = f"New is predicted {speed}: {self.times}"
        if prediction.is_mixed:
            start = f"{prediction.origin[:1].upper()}{prediction.origin[1:]}: new is {speed}, {self.times}"
        if not self.error_bars:
            return f"{start}; error bars unknown: {prediction.reason}."
        return f"{start}{'; either may be faster' if self.outcome is SpeedOutcome.SAME else ''}."


def error_bars(low: float | None, high: float | None) -> str:
    """``error bars 1.31× to 2.63×``; "" if unknown."""
    return "" if low is None or high is None else f"error bars {low:.2f}× to {high:.2f}×"


def _speed_words(speedup: float | None) -> str:
    """``1.62× faster``."""
    if not speedup or f"{speedup:.3f}" == "1.000":
        return "equally fast"
    return f"{speedup:.2f}× faster" if speedup > 1.0 else f"{1.0 / speedup:.2f}× slower"


def significance_of(
    left: Performance,
    right: Performance,
    key: str = "computeMs",
    repeats: tuple[Sequence[Performance], Sequence[Performance]] = ((), ()),
) -> Significance:
    """Compares one column of both engines' per-query times; without samples, trtexec's summaries without confidence.

    repeats: further runs of the left and of the right engine. With any, the spread between runs decides, see
    ``trex.compare.repeated_runs``; else what follows.

    A difference is significant if the bootstrap's 95 % interval of the ratio of medians excludes 1, the Mann–Whitney
    test (widened by the autocorrelation) rejects at 5 %, the medians of long blocks differ (``blocks_differ``), and it
    exceeds the drift within an unsteady run and a coarse timer's step: samples and so medians are multiples of it.
    All tests together err at most as often as any of them alone. They cover the variation within these two runs, not
    that of another build, clock or day.

    A run that drifts so slowly that it is worth fewer than twenty independent samples does not show its own scatter:
    there, the medians must differ by three times √(r₁² + r₂²), r: the range of the medians of ten blocks without the
    highest and the lowest, since a run may begin at another level. Of equal series with a correlation of neighbors of
    0.999, 30 % would be found different without this, and 2 % with it.

    For a simulated side the error bars decide instead, see ``trex.compare.prediction``. Never raises.
    """
    label = COLUMNS.get(key, key)
    prediction = prediction_of(left, right, key)
    if prediction is not None:
        return _of_prediction(prediction, left, right, key)
    if any(repeats):
        return _of_runs((left, *repeats[0]), (right, *repeats[1]), key, label)
    stats = [side.samples.columns.get(key) for side in (left, right)]
    if stats[0] is None or stats[1] is None or not stats[0].count or not stats[1].count:
        return _without_samples(left, right, key, label)
    values = [_values(side, key) for side in (left, right)]
    detectable, drift = _support(stats[0], stats[1])
    step = _coarse_step_ms(stats[0], stats[1])
    medians = stats[0].median_ms, stats[1].median_ms
    uncertainty = max(drift, 100.0 * step / min(medians) if min(medians) > 0.0 else 0.0)
    if np.array_equal(values[0], values[1]):
        equal = (SpeedOutcome.SAME, 1.0, 1.0, 1.0, stats[0], stats[1], None, detectable, uncertainty, drift)
        return Significance(key, label, medians[0], medians[0], *equal, is_one_run=True)
    if not all(series.min() > 0.0 for series in values):
        speedup = medians[0] / medians[1] if min(medians) > 0.0 else None
        reason = "some samples are 0 ms (the clock is too coarse)"
        unknown = SpeedOutcome.UNKNOWN
        return Significance(key, label, *medians, unknown, speedup, left=stats[0], right=stats[1], reason=reason)
    comparison = compare_samples(values[0], values[1])
    outcome, reason = _outcome(comparison, drift)
    apart_pct = 0.0
    if outcome in (SpeedOutcome.FASTER, SpeedOutcome.SLOWER):
        if abs(medians[0] - medians[1]) <= step * _ROUNDED:
            outcome, reason = SpeedOutcome.SAME, f"it is one step of the timer, {1000.0 * step:.2g} µs"
        elif not blocks_differ(values[0], values[1]):
            outcome = SpeedOutcome.SAME
        elif (few := _fewest_effective(stats[0], stats[1])) is not None:
            apart = _apart_ms(values[0], values[1])
            if abs(medians[0] - medians[1]) <= apart:
                reason = f"a run drifts slowly: its samples are worth {few:.0f} independent ones"
                outcome, apart_pct = SpeedOutcome.SAME, 100.0 * apart / min(medians)
    return Significance(
        key, label, *medians, outcome, comparison.ratio, comparison.low, comparison.high, stats[0], stats[1],
        comparison, detectable, uncertainty, drift, reason=reason, apart_pct=apart_pct,
    )  # fmt: skip


def _coarse_step_ms(*stats: SampleStatistics) -> float:
    """The coarser timer's step where it is more than half a percent of a median, else 0."""
    steps = [
        statistics.step_ms
        for statistics in stats
        if statistics.step_ms and 100.0 * statistics.step_ms > MATERIAL_PCT * statistics.median_ms
    ]
    return max(steps, default=0.0)


def _outcome(comparison: SampleComparison, drift_pct: float) -> tuple[SpeedOutcome, str]:
    test = comparison.rank_test
    if comparison.ratio is None or comparison.low is None or comparison.high is None or test is None:
        return SpeedOutcome.UNKNOWN, comparison.reason or "no samples on one side"
    p = test.p if test.p_corrected is None else test.p_corrected
    if not comparison.differs or p >= ALPHA:
        return SpeedOutcome.SAME, ""
    if abs(100.0 * (1.0 / comparison.ratio - 1.0)) <= drift_pct:
        return SpeedOutcome.SAME, f"an unsteady run drifted by {drift_pct:.1f} %"
    return (SpeedOutcome.FASTER if comparison.ratio > 1.0 else SpeedOutcome.SLOWER), ""


def _fewest_effective(*stats: SampleStatistics) -> float | None:
    """The effective number of samples of the run with fewer, if its neighbors depend so much that it is below twenty;
    else None.
    """
    numbers = []
    for statistics in stats:
        effective = statistics.autocorrelation.effective_for_median
        if effective is not None and effective < min(_FEWEST_EFFECTIVE, statistics.count / 2.0):
            numbers.append(effective)
    return min(numbers, default=None)


def _apart_ms(left: Floats, right: Floats) -> float:
    """Three times the ranges of the medians of ten blocks, without the extreme ones: by more, medians are apart."""
    blocks = [np.sort(block_medians(values, len(values) // 10)) for values in (left, right)]
    ranges = [float(medians[-2] - medians[1]) for medians in blocks]
    return _APART * math.hypot(*ranges)


def _of_runs(lefts: Sequence[Performance], rights: Sequence[Performance], key: str, label: str) -> Significance:
    """By the medians of several runs."""
    values = [[median_of(run, key) for run in side] for side in (lefts, rights)]
    samples = [side[0].samples.columns.get(key) for side in (lefts, rights)]
    runs = repeated_runs(values[0], values[1], _median_errors((*lefts, *rights), key))
    if runs is None:
        missing = [name for name, side in zip(("base", "new"), values, strict=True) if not any(side)]
        reason = f"no {label} in {' and '.join(missing)}" if missing else f"only two runs contain {label}"
        firsts = values[0][0], values[1][0]
        return Significance(key, label, *firsts, SpeedOutcome.UNKNOWN, ratio(*firsts), reason=reason)
    outcome = SpeedOutcome.of(runs.low, runs.high)
    return Significance(
        key, label, runs.base, runs.new, outcome, runs.ratio, runs.low, runs.high, samples[0], samples[1],
        detectable_pct=runs.detectable_pct, runs=runs,
    )  # fmt: skip


def _median_errors(runs: Sequence[Performance], key: str) -> list[float]:
    """Relative standard errors of the runs' medians, of those with samples."""
    errors = []
    for run in runs:
        column = run.samples.columns.get(key)
        if column is not None and column.count and column.median_ms > 0.0:
            error = column.detectable.median_error_ms
            errors += [] if error is None else [error / column.median_ms]
    return errors


def _support(*stats: SampleStatistics) -> tuple[float | None, float]:
    """(smallest detectable difference of both runs in percent, drift of the less steady one in percent).

    (z(1 − α/2) + z(power)) · √(e₁² + e₂²), e: the standard error of each median over that median.
    """
    normal = NormalDist()
    factor = normal.inv_cdf(1.0 - ALPHA / 2.0) + normal.inv_cdf(POWER)
    squares = 0.0
    uncertainty = max(steadiness_of(statistics).uncertainty_pct or 0.0 for statistics in stats)
    for statistics in stats:
        if statistics.detectable.median_error_ms is None or not statistics.median_ms > 0.0:
            return None, uncertainty
        squares += (statistics.detectable.median_error_ms / statistics.median_ms) ** 2
    return 100.0 * factor * math.sqrt(squares), uncertainty


def _without_samples(left: Performance, right: Performance, key: str, label: str) -> Significance:
    missing: dict[str, list[str]] = {}
    for name, side in (("base", left), ("new", right)):
        column = side.samples.columns.get(key)
        if column is None or not column.count:
            missing.setdefault(_missing_samples(side, label), []).append(name)
    reason = "; ".join(f"{why} in {' and '.join(names)}" for why, names in missing.items())
    times, kind = values_of(left, right, key)
    return Significance(key, label, *times, SpeedOutcome.UNKNOWN, ratio(*times), reason=reason, kind=kind)


def _missing_samples(side: Performance, label: str) -> str:
    if side.samples.columns:
        return f"no {label} column"
    return "no per-query times (--exportTimes)" if side.plan.query_times is None else "no queries"


def _of_prediction(prediction: PredictedSpeedup, left: Performance, right: Performance, key: str) -> Significance:
    """By the error bars; only a measured side's samples are kept."""
    times, kind = values_of(left, right, key)
    measured = [None if is_predicted(side.plan) else side.samples.columns.get(key) for side in (left, right)]
    low, high = prediction.speedup or (None, None)
    outcome, is_one_run = SpeedOutcome.UNKNOWN, is_one_prediction(left, right)
    if is_one_run:
        outcome, low, high = SpeedOutcome.SAME, 1.0, 1.0
    elif low is not None and high is not None:
        outcome = SpeedOutcome.of(low, high, is_predicted=True)
    return Significance(
        key, COLUMNS.get(key, key), *times, outcome, ratio(*times), low, high, measured[0], measured[1],
        is_one_run=is_one_run, reason=prediction.reason, prediction=prediction, kind=kind,
    )  # fmt: skip


def _values(performance: Performance, key: str) -> Floats:
    """The samples behind the statistics, in measured order."""
    queries = performance.plan.query_times
    column = None if queries is None else duration_of(queries, key)
    assert queries is not None and column is not None  # there are statistics of this column
    return usable(column, queries.warm_up_rows or 0, zero_is_a_time=key == "enqueueMs").values
