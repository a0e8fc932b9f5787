"""Values of many runs in order → HistoryLevels: the runs at which a quantity changed, with their confidence."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from trex.compare.repeated_runs import repeated_runs
from trex.core.bounded_exponent import bounded_expm1
from trex.core.counted import counted
from trex.perf.samples.change_points import MATERIAL_PCT, explains_more
from trex.perf.samples.series import Floats
from trex.perf.samples.student import t_quantile
from trex.store.change_limits import chance_of

ALPHA = 0.01
"""Chance that a series without a change shows one."""

ONE_POSITION = "all runs have one position on the axis"
FEWEST = 4
FEWEST_FOR_ORDER = 11
"""From so many runs on, a change must also be rare among the same runs in another order. Of ten runs two are the first
or the last two in 4.4 % of all orders (2 of 45), of eight in 7.1 %: the two newest could never be a change.
"""

FEWEST_FOR_DRIFT = 20
"""From so many runs on, a change must also explain more than a slow drift does."""

MOST = 1000
_SIDE = 2
_ORDERS = 399
_AT_ONCE = 1 << 20
_SMALL_ORDER_ALPHA = 0.05
_KEPT_DIFFERENCES = 0.8
_LEAST_ERROR = 1e-4
_LEAST_COUNT_ERROR = 0.25
"""Standard deviation of a finding that one run of 15 has."""
_SAME_VALUE = 1e-5
_LOCATION = 2.0 * math.log(1.0 / 0.05)


@dataclass(frozen=True, slots=True)
class HistoryLevel:
    """Consecutive runs, from ``first`` to before ``behind``, and the geometric mean of their values."""

    first: int
    behind: int
    value: float


@dataclass(frozen=True, slots=True)
class HistoryChange:
    """A change between two levels.

    index: the first run of the new level. earliest, latest: the first run of the new level lies in this range (95 %).
    before, after: values of the levels. low_pct, high_pct: 95 % interval of ``change_pct``, None if unknown.
    chance: of a change like this, or a larger one, in a series without any; 0 for exact values.
    """

    index: int
    earliest: int
    latest: int
    before: float
    after: float
    low_pct: float | None
    high_pct: float | None
    chance: float

    @property
    def change_pct(self) -> float:
        """inf from zero."""
        return 100.0 * (self.after / self.before - 1.0) if self.before else math.inf

    @property
    def confidence_pct(self) -> float:
        return 100.0 * (1.0 - self.chance)


@dataclass(frozen=True, slots=True)
class HistoryLevels:
    """levels: in order, one if nothing changed, none without a value. changes: between them, one fewer.

    noise_pct: standard deviation of the runs around their levels; None for exact values and below three runs.
    drift: changes were found, but a slow drift explains the runs as well: they are withheld.
    latest_pct: how far the last run is from its level if that is unlikely (1 %) and no change was found there; one run
    is no level yet. reason: why there can't be changes; "" if there could.
    """

    levels: tuple[HistoryLevel, ...]
    changes: tuple[HistoryChange, ...] = ()
    noise_pct: float | None = None
    drift: bool = False
    latest_pct: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Runs:
    """values: logarithms. groups: per run the number of its position; there are no cuts within one. is_count: whether
    they repeat, as no normal noise does.
    """

    values: Floats
    groups: np.ndarray
    is_count: bool = False
    may_cut: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        inner = np.concatenate(([False], np.diff(self.groups) != 0, [False]))
        object.__setattr__(self, "may_cut", inner)


def levels_in(
    values: Sequence[float], groups: Sequence[int] = (), errors: Sequence[float] = (), *, is_exact: bool = False
) -> HistoryLevels:
    """values: one positive value per run, in order. groups: per run the number of its position on the axis (runs of one
    commit have the same); by default each its own. errors: relative standard errors of values within their runs.
    is_exact: equal runs have equal values (bytes, predictions), so that every difference is a change.

    Method: on the logarithms, for all intervals of a seeded binary segmentation (Kovács, Bühlmann, Li and Munk 2023,
    Seeded binary segmentation: a general methodology for fast and optimal changepoint detection, Biometrika 110) and
    all splits into two parts of at least two runs, Student's t of the difference of the parts, as a normal deviate
    (Wallace 1959). The largest is the change; then both sides are searched in the same way (Vostrikova 1981). Variances
    are at least that of 80 % of the differences of neighbors: within a few runs some agree by chance.

    A change must be unlikely without any: at 1 % in normal noise (``change_limits``), and, from eleven runs on, at 1 %
    (at 5 % below 20 runs, which have too few orders) among 399 random orders of the same runs, which holds for any
    distribution of the runs (Good 2005, Permutation tests). From 20 runs on, the levels must also explain more than a
    first-order autoregression does, as in ``trex.perf.samples.change_points``: a machine that drifts is no change.
    Changes below half a percent are not reported. Of more than a thousand runs the last thousand count.
    """
    levels = _levels_in(np.asarray(values, dtype=np.float64)[-MOST:], groups[-MOST:], errors, is_exact)
    return _moved(levels, max(0, len(values) - MOST))


def levels_of_counts(
    values: Sequence[float], groups: Sequence[int] = (), builds: Sequence[Hashable] = ()
) -> HistoryLevels:
    """As ``levels_in``, of counts that follow the noise of runs. builds: per run what identifies its build.

    Equal counts show no noise, and one that comes and goes is no normal noise: a change must also be rare among random
    orders of the runs, however few. Between two builds whose counts don't overlap, it is a fact of the new one, unless
    more than a third of the runs are of another build than the one before: those differ without a cause.
    """
    counts = np.asarray(values, dtype=np.float64)[-MOST:]
    groups = groups[-MOST:] or range(len(counts))
    if len(set(groups)) == 1 and len(set(values)) > 1:
        return HistoryLevels((HistoryLevel(0, len(values), float(np.mean(values))),), reason=ONE_POSITION)
    bounds = _build_bounds(counts, builds[-MOST:])
    parts = [
        _moved(_of_one_build(counts[first:behind], groups[first:behind]), first) for first, behind in pairwise(bounds)
    ]
    levels = [
        replace(level, value=float(counts[level.first : level.behind].mean()))
        for part in parts
        for level in part.levels
    ]
    by_noise = {change.index: change for part in parts for change in part.changes}
    changes = (
        replace(
            by_noise.get(new.first, HistoryChange(new.first, new.first, new.first, 0.0, 0.0, None, None, 0.0)),
            before=old.value,
            after=new.value,
            low_pct=None,
            high_pct=None,
        )
        for old, new in pairwise(levels)
    )
    result = replace(
        parts[-1],
        levels=tuple(levels),
        changes=tuple(changes),
        noise_pct=_noise_of_counts(counts, levels),
        drift=any(part.drift for part in parts),
        latest_pct=None if parts[-1].latest_pct is None else _latest_count(counts[levels[-1].first :]),
        reason="" if len(parts) > 1 else parts[-1].reason,
    )
    return _moved(result, max(0, len(values) - MOST))


def _of_one_build(counts: Floats, groups: Sequence[int]) -> HistoryLevels:
    """Of logarithms of one more: some counts are 0."""
    errors = _LEAST_COUNT_ERROR / (counts + 1.0)
    return _levels_in(counts + 1.0, groups, errors.tolist(), is_exact=False, is_count=True)


def _build_bounds(counts: Floats, builds: Sequence[Hashable]) -> list[int]:
    """Where runs of other builds with other counts begin, with both ends."""
    cuts = [index for index, (one, other) in enumerate(pairwise(builds), 1) if one != other]
    bounds = [0]
    for cut, behind in pairwise([*cuts, len(counts)] if len(cuts) <= max(1, len(counts) // 3) else [len(counts)]):
        before, after = counts[bounds[-1] : cut], counts[cut:behind]
        if before.max() < after.min() or after.max() < before.min():
            bounds.append(cut)
    return [*bounds, len(counts)]


def _noise_of_counts(counts: Floats, levels: Sequence[HistoryLevel]) -> float | None:
    freedom = len(counts) - len(levels)
    if freedom < 2 or not counts.any():
        return None
    squares = math.fsum(float(((counts[level.first : level.behind] - level.value) ** 2).sum()) for level in levels)
    return round(100.0 * math.sqrt(squares / freedom) / float(counts.mean()), 9)


def _latest_count(level: Floats) -> float | None:
    """How far the last run is from the others of its level; None from zero."""
    mean = float(level[:-1].mean())
    return 100.0 * (float(level[-1]) / mean - 1.0) if mean else None


def _moved(levels: HistoryLevels, by: int) -> HistoryLevels:
    """With the indexes of a series that has so many runs more in front."""
    if not by:
        return levels
    parts = (replace(level, first=level.first + by, behind=level.behind + by) for level in levels.levels)
    changes = (
        replace(change, index=change.index + by, earliest=change.earliest + by, latest=change.latest + by)
        for change in levels.changes
    )
    return replace(levels, levels=tuple(parts), changes=tuple(changes))


def _levels_in(
    known: Floats, groups: Sequence[int], errors: Sequence[float], is_exact: bool, *, is_count: bool = False
) -> HistoryLevels:
    if not len(known):
        return HistoryLevels((), reason="no run has a value")
    if is_exact and (len(set(groups)) != 1 or known.min() == known.max()):
        return _exact(known)
    if is_exact:
        return HistoryLevels((HistoryLevel(0, len(known), float(known.mean())),), reason=ONE_POSITION)
    if known.min() <= 0.0:
        return HistoryLevels((HistoryLevel(0, len(known), float(known.mean())),), reason="a value is zero")
    positions = np.asarray(groups if len(groups) else range(len(known)))
    if len(known) > 1 and len(set(positions.tolist())) < 2:
        level = HistoryLevel(0, len(known), float(np.exp(np.log(known).mean())))
        return HistoryLevels((level,), reason=ONE_POSITION)
    runs = _Runs(np.log(known), positions, is_count)
    few = len(known) < FEWEST
    least = max(_LEAST_ERROR, math.sqrt(math.fsum(error**2 for error in errors) / len(errors)) if errors else 0.0)
    cuts = [] if few else _cuts(runs, least)
    drift = bool(cuts) and len(known) >= FEWEST_FOR_DRIFT and not _beats_drift(runs.values, [cut for cut, _ in cuts])
    kept = [] if drift else _material(runs.values, cuts)
    bounds = [0, *(cut for cut, _ in kept), len(known)]
    levels = tuple(HistoryLevel(a, b, float(np.exp(runs.values[a:b].mean()))) for a, b in pairwise(bounds))
    changes = tuple(
        _change(runs.values, bounds[number], cut, bounds[number + 2], chance, errors)
        for number, (cut, chance) in enumerate(kept)
    )
    residuals = np.concatenate([runs.values[a:b] - runs.values[a:b].mean() for a, b in pairwise(bounds)])
    freedom = len(known) - len(levels)
    noise = None if freedom < 2 else round(100.0 * math.sqrt(float(residuals @ residuals) / freedom), 9)
    few_words = f"{counted(len(known), 'run')}: too few to detect changes (at least {FEWEST})" if few else ""
    return HistoryLevels(levels, changes, noise, drift, None if drift else _latest(runs.values, levels[-1]), few_words)


def _exact(values: Floats) -> HistoryLevels:
    """Every difference beyond the sixth digit is a change."""
    cuts = [
        index
        for index, (left, right) in enumerate(pairwise(values), 1)
        if not math.isclose(left, right, rel_tol=_SAME_VALUE)
    ]
    bounds = [0, *cuts, len(values)]
    levels = tuple(HistoryLevel(first, behind, float(values[first])) for first, behind in pairwise(bounds))
    if len(values) < 2:
        return HistoryLevels(levels, reason="1 run: too few to detect changes (at least 2)")
    changes = tuple(
        HistoryChange(new.first, new.first, new.first, old.value, new.value, None, None, 0.0)
        for old, new in pairwise(levels)
    )
    return HistoryLevels(levels, changes)


def _cuts(runs: _Runs, least: float) -> list[tuple[int, float]]:
    """(first run of the new level, chance), in order."""
    pending, chances = [(0, len(runs.values))], dict[int, float]()
    while pending:
        first, behind = pending.pop()
        cut, chance = _best(runs, first, behind, least)
        if cut and chance <= ALPHA:
            chances[cut] = chance
            pending += [(first, cut), (cut, behind)]
    return _placed(runs, chances)


def _placed(runs: _Runs, chances: dict[int, float]) -> list[tuple[int, float]]:
    """Each cut where the parts between its neighbors differ most: it was found on a shorter interval, perhaps."""
    cuts = sorted(chances)
    bounds = [0, *cuts, len(runs.values)]
    result = []
    for number, cut in enumerate(cuts):
        first, behind = bounds[number], bounds[number + 2]
        splits = _splits(runs, first, behind)
        best = cut if not len(splits) else int(splits[np.argmin(_rest(runs.values, first, behind, splits))])
        bounds[number + 1] = best
        result.append((best, chances[cut]))
    return result


def _best(runs: _Runs, first: int, behind: int, least: float) -> tuple[int, float]:
    """The likeliest change within these runs, and its chance; (0, 1.0) if there is no place for one."""
    values, may_cut = runs.values[first:behind], runs.may_cut[first : behind + 1]
    count = len(values)
    if count < FEWEST or not may_cut.any():
        return 0, 1.0
    deviates, cuts = _largest(values[None], may_cut, least)
    cut, deviate = int(cuts[0]), float(deviates[0])
    chance = chance_of(deviate, count) if cut else 1.0
    if chance > ALPHA or (count < FEWEST_FOR_ORDER and not runs.is_count):
        return first + cut, chance
    by_order = _chance_by_order(values, may_cut, least, deviate)
    limit = ALPHA if count >= FEWEST_FOR_DRIFT else _SMALL_ORDER_ALPHA
    return first + cut, by_order if runs.is_count or by_order > limit else chance


def _chance_by_order(values: Floats, may_cut: np.ndarray, least: float, deviate: float) -> float:
    """Share of random orders of the runs with a deviate as large, the given order included. Always the same orders."""
    random = np.random.default_rng(0)
    as_large, done = 1, 1
    for some in (99, _ORDERS - 99):
        orders = random.permuted(np.tile(values, (some, 1)), axis=1)
        as_large += int((_largest(orders, may_cut, least)[0] >= deviate * (1.0 - 1e-9)).sum())
        done += some
        if as_large > _SMALL_ORDER_ALPHA * (_ORDERS + 1):
            break
    return as_large / done


def largest_deviates(series: Floats) -> Floats:
    """Of every row, without limits of places: for the table of ``change_limits``."""
    may_cut = np.ones(series.shape[1] + 1, dtype=bool)
    return _largest(series, may_cut, 0.0)[0]


def _largest(series: Floats, may_cut: np.ndarray, least: float) -> tuple[Floats, np.ndarray]:
    """Per row the largest deviate over all intervals and splits, and the index behind the split (0: no place)."""
    rows, count = series.shape
    centered = series - series.mean(axis=1, keepdims=True)
    zero = np.zeros((rows, 1))
    sums = np.concatenate((zero, np.cumsum(centered, axis=1)), axis=1)
    squares = np.concatenate((zero, np.cumsum(centered * centered, axis=1)), axis=1)
    noise = np.maximum(_neighbor_variance(centered), least**2)[:, None]
    best, at = np.zeros(rows), np.zeros(rows, dtype=np.int64)
    for starts, length in _chunks(count, rows):
        left = np.arange(_SIDE, length - _SIDE + 1)
        right = length - left
        cuts = starts[:, None] + left
        ends = starts + length
        sums_left = sums[:, cuts] - sums[:, starts][:, :, None]
        sums_right = sums[:, ends][:, :, None] - sums[:, cuts]
        rest = (squares[:, ends] - squares[:, starts])[:, :, None] - sums_left**2 / left - sums_right**2 / right
        freedom = length - 2
        variance = np.maximum(rest / freedom, noise[:, :, None])
        difference = sums_left / left - sums_right / right
        t_squared = difference**2 / np.maximum(variance * (1.0 / left + 1.0 / right), 1e-300)
        deviates = np.sqrt(freedom * np.log1p(t_squared / freedom)) * ((8 * freedom + 1) / (8 * freedom + 3))
        flat = np.where(may_cut[cuts], deviates, 0.0).reshape(rows, -1)
        index = flat.argmax(axis=1)
        highest = flat[np.arange(rows), index]
        at = np.where(highest > best, cuts.reshape(-1)[index], at)
        best = np.maximum(best, highest)
    return best, at


def _chunks(count: int, rows: int) -> Iterator[tuple[np.ndarray, int]]:
    """(starts, length) of the intervals, at most a million values at a time."""
    starts_of: dict[int, list[int]] = {}
    for start, end in seeded_intervals(count):
        starts_of.setdefault(end - start, []).append(start)
    for length, starts in starts_of.items():
        size = max(1, _AT_ONCE // (rows * length))
        for first in range(0, len(starts), size):
            yield np.array(starts[first : first + size]), length


def _neighbor_variance(series: Floats) -> Floats:
    """Per row half the mean squared difference of neighbors, without the largest fifth: changes are among those."""
    squares = np.sort(np.diff(series, axis=1) ** 2, axis=1)
    kept = max(1, int(squares.shape[1] * _KEPT_DIFFERENCES))
    result: Floats = squares[:, :kept].mean(axis=1) / 2.0
    return result


def seeded_intervals(count: int) -> Iterator[tuple[int, int]]:
    """Intervals of lengths that shrink by √2, evenly spread so that neighbors overlap; all of the shortest length."""
    shortest = 2 * _SIDE
    starts: dict[int, set[int]] = {shortest: set(range(count - shortest + 1))}
    step = 0
    while (length := math.ceil(count * 2.0 ** (-step / 2))) >= shortest:
        number = 1 if not step else 2 * math.ceil(2.0 ** (step / 2)) - 1
        evenly = np.linspace(0, count - length, number).round().astype(int).tolist()
        starts.setdefault(length, set()).update(evenly)
        step += 1
    for length in sorted(starts, reverse=True):
        yield from ((start, start + length) for start in sorted(starts[length]))


def _splits(runs: _Runs, first: int, behind: int) -> np.ndarray:
    cuts = np.arange(first + _SIDE, behind - _SIDE + 1)
    result: np.ndarray = cuts[runs.may_cut[cuts]]
    return result


def _rest(values: Floats, first: int, behind: int, cuts: np.ndarray) -> Floats:
    """Per cut the squared deviations from the means of both parts."""
    part = values[first:behind] - values[first:behind].mean()
    sums = np.concatenate(([0.0], np.cumsum(part)))
    left, right = cuts - first, behind - cuts
    explained = sums[left] ** 2 / left + sums[left] ** 2 / right
    result: Floats = float(part @ part) - explained
    return result


def _beats_drift(values: Floats, cuts: list[int]) -> bool:
    noise = float(np.mean(np.diff(values) ** 2) / 2.0) ** 0.5
    return noise <= 0.0 or explains_more(values, cuts, noise)


def _material(values: Floats, cuts: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Without the smallest change, until all are at least half a percent."""
    kept = list(cuts)
    while kept:
        bounds = [0, *(cut for cut, _ in kept), len(values)]
        means = [values[a:b].mean() for a, b in pairwise(bounds)]
        sizes = [abs(bounded_expm1(right - left)) for left, right in pairwise(means)]
        smallest = int(np.argmin(sizes))
        if sizes[smallest] >= MATERIAL_PCT / 100.0:
            break
        del kept[smallest]
    return kept


def _change(values: Floats, first: int, cut: int, behind: int, chance: float, errors: Sequence[float]) -> HistoryChange:
    before, after = np.exp(values[first:cut]), np.exp(values[cut:behind])
    runs = repeated_runs(before.tolist(), after.tolist(), errors)
    low, high = (None, None) if runs is None else (100.0 / runs.high - 100.0, 100.0 / runs.low - 100.0)
    earliest, latest = _range_of(values, first, cut, behind)
    means = float(np.exp(values[first:cut].mean())), float(np.exp(values[cut:behind].mean()))
    return HistoryChange(cut, earliest, latest, *means, low, high, chance)


def _range_of(values: Floats, first: int, cut: int, behind: int) -> tuple[int, int]:
    """Where the change may lie: cuts whose likelihood ratio to the best is at most 1/20 (Siegmund 1988, Confidence
    sets in change-point problems).
    """
    cuts = np.arange(first + 1, behind)
    rest = np.maximum(_rest(values, first, behind, cuts), 1e-30)
    likely = cuts[(behind - first) * np.log(rest / rest[cut - first - 1]) <= _LOCATION]
    return (cut, cut) if not len(likely) else (int(min(likely.min(), cut)), int(max(likely.max(), cut)))


def _latest(values: Floats, level: HistoryLevel) -> float | None:
    """The last run beyond the 99 % prediction interval of the others of its level (Student's t)."""
    *others, last = values[level.first : level.behind].tolist()
    count = len(others)
    if count < FEWEST:
        return None
    mean = math.fsum(others) / count
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in others) / (count - 1))
    reach = t_quantile(1.0 - ALPHA / 2.0, float(count - 1)) * max(spread, _LEAST_ERROR) * math.sqrt(1.0 + 1.0 / count)
    change_pct = 100.0 * bounded_expm1(last - mean)
    return change_pct if abs(last - mean) > reach and abs(change_pct) >= MATERIAL_PCT else None
