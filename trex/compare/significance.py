"""Two traces → Significance: how much faster the right one is, how sure that is, and whether the runs support it.

Where a side is simulated nothing is said to be real: its samples do not tell. The interval is that of the predictions'
error bars then, and the outcome is what is predicted, see ``trex.compare.prediction``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from statistics import NormalDist

import numpy as np

from trex.compare.blocks import blocks_differ
from trex.compare.prediction import Prediction, is_one_prediction, median_of, prediction_of
from trex.core.timings import QueryTimes
from trex.perf.expected import is_predicted
from trex.perf.performance import Performance
from trex.perf.samples.detectable import ALPHA, POWER
from trex.perf.samples.plan_samples import COLUMNS
from trex.perf.samples.sample_comparison import SampleComparison, compare_samples
from trex.perf.samples.series import Floats, usable
from trex.perf.samples.statistics import SampleStatistics
from trex.perf.samples.steadiness import steadiness_of

_TIMES_WORDS = 1.5


class Outcome(Enum):
    """Of the right side. SAME: no difference that these runs support, however small or large it looks, or that the
    error bars of predictions hold. PREDICTED_FASTER, PREDICTED_SLOWER: by more than the error bars, where at
    least one side was not measured.
    """

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "no difference shown"
    UNKNOWN = "unknown"
    PREDICTED_FASTER = "predicted faster"
    PREDICTED_SLOWER = "predicted slower"

    @classmethod
    def of(cls, low: float, high: float, is_predicted: bool = False) -> Outcome:
        """By the interval of the speed-up."""
        if low > 1.0:
            return cls.PREDICTED_FASTER if is_predicted else cls.FASTER
        if high < 1.0:
            return cls.PREDICTED_SLOWER if is_predicted else cls.SLOWER
        return cls.SAME

    @property
    def is_faster(self) -> bool:
        """Whether faster, measured or predicted."""
        return self in (Outcome.FASTER, Outcome.PREDICTED_FASTER)


@dataclass(frozen=True, slots=True)
class Significance:
    """One quantity of both runs.

    key: the column (``computeMs``); label: in words. left_ms, right_ms: medians, None when unknown. speedup: left_ms
    over right_ms, above 1 when the right is faster; low, high: its 95 % interval, None without samples; of predictions
    that of their error bars. left, right: statistics of samples that were measured. comparison: bootstrap and rank
    test. detectable_pct: the least difference that two such runs show (80 % power, 5 % level). uncertainty_pct: the
    largest change within a run that was not steady; a smaller difference may be one of those. reason: why the outcome
    is unknown, or what holds it back, else "". prediction: where the times are from when a side was predicted, None
    when both were measured.
    """

    key: str
    label: str
    left_ms: float | None
    right_ms: float | None
    outcome: Outcome
    speedup: float | None = None
    low: float | None = None
    high: float | None = None
    left: SampleStatistics | None = None
    right: SampleStatistics | None = None
    comparison: SampleComparison | None = None
    detectable_pct: float | None = None
    uncertainty_pct: float = 0.0
    is_one_run: bool = False
    reason: str = ""
    prediction: Prediction | None = None

    @property
    def change_pct(self) -> float | None:
        """Time of the right over that of the left, less one, in percent: negative is faster."""
        return None if not self.speedup else 100.0 * (1.0 / self.speedup - 1.0)

    @property
    def shown_margin_pct(self) -> float | None:
        """As it is told with one decimal: 0.0 only of one run beside itself."""
        return max(self.margin_pct, 0.1) if self.margin_pct else self.margin_pct

    @property
    def margin_pct(self) -> float | None:
        """Half the width of ``change_pct``'s 95 % interval; None for predictions, which have none."""
        return None if not self.low or not self.high or self.prediction else 50.0 * (1.0 / self.low - 1.0 / self.high)

    @property
    def difference_ms(self) -> float | None:
        """Right less left: negative is faster."""
        return None if self.left_ms is None or self.right_ms is None else self.right_ms - self.left_ms

    @property
    def support_pct(self) -> float | None:
        """The least difference that these runs support: ``detectable_pct``, or what the runs themselves wandered."""
        return None if self.detectable_pct is None else max(self.detectable_pct, self.uncertainty_pct)

    @property
    def is_real(self) -> bool | None:
        """Whether there is a difference that these runs support; None when nobody can say, as of predictions."""
        return None if self.outcome is Outcome.UNKNOWN or self.prediction else self.outcome is not Outcome.SAME

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        change = self.change_pct
        if change is None or self.left_ms is None or self.right_ms is None:
            return f"Which is faster by {self.label} is unknown: {self.reason}."
        if self.prediction is not None:
            return self._predicted(self.prediction, self.left_ms, self.right_ms, change)
        if self.is_one_run:
            return f"No difference: the {self.label} samples of both sides are identical, one run compared with itself."
        medians = f"{self.left_ms:.4g} → {self.right_ms:.4g} ms"
        if self.outcome is Outcome.UNKNOWN:
            if change == 0.0:
                return (
                    f"Both take {self.left_ms:.4g} ms in {self.label}; whether they differ is unknown: {self.reason}."
                )
            way = "faster" if change < 0 else "slower"
            return (
                f"The new engine looks {way} by {abs(change):.1f} % in {self.label} ({medians}), but whether that is "
                f"real is unknown: {self.reason}."
            )
        if self.outcome is Outcome.SAME:
            least = "an unknown size" if self.support_pct is None else f"{self.support_pct:.2g} %"
            why = f" ({self.reason})" if self.reason else ""
            return (
                f"No difference in {self.label} is shown: the medians are {abs(change):.2g} % apart ({medians}), and "
                f"these runs cannot support a difference below {least}{why}."
            )
        margin = "" if self.shown_margin_pct is None else f" ± {self.shown_margin_pct:.1f}"
        times = ""
        if self.speedup and not 1 / _TIMES_WORDS < self.speedup < _TIMES_WORDS:
            times = f", speed-up {self.speedup:.2f}"
        return (
            f"The new engine is {self.outcome.value} by {abs(change):.1f} %{margin} in {self.label} ({medians}{times})."
        )

    def _predicted(self, prediction: Prediction, left_ms: float, right_ms: float, change: float) -> str:
        """The verdict where a side was predicted."""
        if self.is_one_run:
            medians = f"{left_ms:.4g} → {right_ms:.4g} ms"
            return f"No difference in {self.label} is predicted: both sides are one prediction ({medians})."
        way = f"{'faster' if change < 0 else 'slower'} by {abs(change):.1f} %" if abs(change) >= 0.05 else "as fast"
        times = f"{way} in {self.label} ({left_ms:.4g} → {right_ms:.4g} ms)"
        unlike = prediction.unlike
        told = f"{unlike[:1].upper()}{unlike[1:]}, {times}" if unlike else f"The new engine is predicted {times}"
        speedup = "" if self.speedup is None else f"{self.speedup:.2f}"
        if self.low is None or self.high is None:
            return f"{told}, speed-up {speedup}; how sure that is nobody knows: {prediction.reason}."
        bars = f"{self.low:.2f} to {self.high:.2f} by {prediction.bars}"
        if self.outcome is Outcome.SAME:
            return f"{told}, but either may be the faster: the speed-up is {speedup}, {bars}."
        return f"{told}, speed-up {speedup} ({bars})."


def significance_of(left: Performance, right: Performance, key: str = "computeMs") -> Significance:
    """Compares one column of both traces; without samples, trtexec's summaries, which do not tell how sure they are.

    A difference is real when the bootstrap's 95 % interval of the ratio of medians excludes 1, the Mann–Whitney test
    (widened by the autocorrelation) rejects at 5 %, the medians of long blocks differ (``blocks_differ``), and it is
    larger than what a run that was not steady wandered by itself. All tests together are wrong at most as often as any
    of them alone. They cover the variation within these two runs: another build, clock or day is not in them.

    Where a side was predicted, its error bars decide instead, see ``trex.compare.prediction``. Nothing raises.
    """
    label = COLUMNS.get(key, key)
    prediction = prediction_of(left, right, key)
    if prediction is not None:
        return _of_prediction(prediction, left, right, key)
    stats = [each.samples.columns.get(key) for each in (left, right)]
    if stats[0] is None or stats[1] is None or not stats[0].count or not stats[1].count:
        return _without_samples(left, right, key, label)
    values = [_values(each, key) for each in (left, right)]
    detectable, uncertainty = _support(stats[0], stats[1])
    if np.array_equal(values[0], values[1]):
        median = stats[0].median_ms
        alike = (Outcome.SAME, 1.0, 1.0, 1.0, stats[0], stats[1], None, detectable, uncertainty)
        return Significance(key, label, median, median, *alike, is_one_run=True)
    if not all(each.min() > 0.0 for each in values):
        medians = stats[0].median_ms, stats[1].median_ms
        ratio = medians[0] / medians[1] if min(medians) > 0.0 else None
        reason = "some samples are 0 ms, so the clock's steps are as long as what it measures"
        return Significance(key, label, *medians, Outcome.UNKNOWN, ratio, left=stats[0], right=stats[1], reason=reason)
    found = compare_samples(values[0], values[1])
    outcome, reason = _outcome(found, uncertainty)
    if outcome in (Outcome.FASTER, Outcome.SLOWER) and not blocks_differ(values[0], values[1]):
        outcome = Outcome.SAME
    return Significance(
        key,
        label,
        stats[0].median_ms,
        stats[1].median_ms,
        outcome,
        found.ratio,
        found.low,
        found.high,
        stats[0],
        stats[1],
        found,
        detectable,
        uncertainty,
        reason=reason,
    )


def _outcome(found: SampleComparison, uncertainty_pct: float) -> tuple[Outcome, str]:
    if found.ratio is None or found.low is None or found.high is None or found.rank_test is None:
        return Outcome.UNKNOWN, found.reason or "there are no samples on one side"
    p = found.rank_test.p if found.rank_test.p_corrected is None else found.rank_test.p_corrected
    if not found.differs or p >= ALPHA:
        return Outcome.SAME, ""
    if abs(100.0 * (1.0 / found.ratio - 1.0)) <= uncertainty_pct:
        return Outcome.SAME, f"a run that was not steady changed by {uncertainty_pct:.1f} % by itself"
    return (Outcome.FASTER if found.ratio > 1.0 else Outcome.SLOWER), ""


def _support(*stats: SampleStatistics) -> tuple[float | None, float]:
    """(least detectable difference of both runs in percent, what the unsteadier of them wandered in percent).

    (z(1 − α/2) + z(power)) · √(e₁² + e₂²), e being the standard error of each median over that median.
    """
    normal = NormalDist()
    factor = normal.inv_cdf(1.0 - ALPHA / 2.0) + normal.inv_cdf(POWER)
    squares, uncertainty = 0.0, 0.0
    for each in stats:
        if each.detectable.median_error_ms is None or not each.median_ms > 0.0:
            return None, uncertainty
        squares += (each.detectable.median_error_ms / each.median_ms) ** 2
        uncertainty = max(uncertainty, steadiness_of(each).uncertainty_pct or 0.0)
    return 100.0 * factor * math.sqrt(squares), uncertainty


def _without_samples(left: Performance, right: Performance, key: str, label: str) -> Significance:
    times = [median_of(each, key) for each in (left, right)]
    missing = [
        (name, each.samples.reason or "the trace lacks this column")
        for name, each in (("base", left), ("new", right))
        if (found := each.samples.columns.get(key)) is None or not found.count
    ]
    reason = "; ".join(f"{name}: {why}" for name, why in missing)
    return Significance(key, label, times[0], times[1], Outcome.UNKNOWN, _ratio(*times), reason=reason)


def _of_prediction(prediction: Prediction, left: Performance, right: Performance, key: str) -> Significance:
    """By the error bars; samples are told of the side that was measured, if one was."""
    sides = (left, right)
    times = [median_of(each, key) for each in sides]
    told = [None if is_predicted(each.plan) else each.samples.columns.get(key) for each in sides]
    low, high = prediction.speedup or (None, None)
    outcome, is_one_run = Outcome.UNKNOWN, is_one_prediction(left, right)
    if is_one_run:
        outcome, low, high = Outcome.SAME, 1.0, 1.0
    elif low is not None and high is not None:
        outcome = Outcome.of(low, high, is_predicted=True)
    return Significance(
        key, COLUMNS.get(key, key), times[0], times[1], outcome, _ratio(*times), low, high, told[0], told[1],
        is_one_run=is_one_run, reason=prediction.reason, prediction=prediction,
    )  # fmt: skip


def _ratio(left_ms: float | None, right_ms: float | None) -> float | None:
    return left_ms / right_ms if left_ms and right_ms and left_ms > 0.0 and right_ms > 0.0 else None


def _values(performance: Performance, key: str) -> Floats:
    """The samples that the statistics are made of, in the order in which they were measured."""
    queries = performance.plan.query_times
    assert queries is not None  # there are statistics of this column
    column = _column(queries, key)
    return usable(column, queries.warm_up_rows or 0, zero_is_a_time=key == "enqueueMs").values


def _column(queries: QueryTimes, key: str) -> Floats:
    if key != "enqueueMs":
        return np.asarray(queries.columns[key], dtype=np.float64)
    start, end = (np.asarray(queries.columns[name], dtype=np.float64) for name in ("startEnqMs", "endEnqMs"))
    return np.round(end - start, 9)
