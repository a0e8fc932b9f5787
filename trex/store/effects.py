"""Configurations of a sweep → Effects: by how much each option changes a quantity, with an interval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from trex.perf.samples.student import t_quantile

if TYPE_CHECKING:
    import pandas as pd

_RESAMPLES = 999
_MOST_LEVELS = 12
PAIRED, FITTED = "paired", "least squares"


@dataclass(frozen=True, slots=True)
class OptionEffect:
    """From one value of an axis to another. ratio: of the quantity, after over before; low, high: its 95 % interval,
    None if unknown. count: pairs, or configurations of a fit. least, most: smallest and largest ratio of a pair.
    method: PAIRED or FITTED.
    """

    axis: str
    before: str
    after: str
    ratio: float
    low: float | None
    high: float | None
    count: int
    least: float
    most: float
    method: str

    @property
    def is_significant(self) -> bool:
        return self.low is not None and self.high is not None and not self.low <= 1.0 <= self.high

    @property
    def depends(self) -> bool:
        """Whether it is an improvement in some configurations and the opposite in others."""
        return self.least < 1.0 < self.most


@dataclass(frozen=True, slots=True)
class Effects:
    """effects: the largest first. shares: {axis: share of the variance of the logarithms that only it explains}.

    confounded: (axis, the axes that vary with it), whose effect can't be separated from theirs.
    """

    effects: tuple[OptionEffect, ...]
    shares: dict[str, float]
    confounded: tuple[tuple[str, tuple[str, ...]], ...] = ()


def effects_of(cells: pd.DataFrame, axes: Sequence[str], column: str) -> Effects:
    """cells: one row per configuration. axes: their columns. column: a positive quantity.

    Paired where configurations exist that differ in this axis alone: the mean of ln(after / before) over all such pairs
    and Student's t interval, which says how far the effect holds for other configurations of the same kind. Else least
    squares of the logarithms on the values of all axes, with a bootstrap of the configurations (Efron 1979, 999
    resamples, percentiles), if the design allows it: an axis whose columns depend linearly on those of the others is
    confounded.
    """
    known = cells[cells[column].notna() & (cells[column] > 0.0)]
    used = [axis for axis in axes if 1 < known[axis].nunique(dropna=False) <= _MOST_LEVELS]
    if len(known) < 2 or not used:
        return Effects((), {})
    logarithms = np.log(known[column].to_numpy(dtype=np.float64))
    codes, levels = _coded(known, used)
    effects: list[OptionEffect] = []
    confounded: list[tuple[str, tuple[str, ...]]] = []
    for number, axis in enumerate(used):
        others = [index for index in range(len(used)) if index != number]
        pairs = dict(_pairs(codes, logarithms, number, others))
        unpaired = False
        for before, after in combinations(range(len(levels[number])), 2):
            names = levels[number][before], levels[number][after]
            if (before, after) in pairs:
                effects.append(_paired(axis, *names, np.array(pairs[before, after])))
            else:
                unpaired = True
        if unpaired and not pairs:
            if _is_estimable(codes, number):
                effects += _fitted(axis, levels[number], codes, logarithms, number)
            else:
                confounded.append((axis, _aliases(codes, used, number)))
    effects.sort(key=lambda effect: -abs(math.log(effect.ratio)))
    return Effects(tuple(effects), _shares(codes, used, logarithms), tuple(confounded))


def _coded(cells: pd.DataFrame, axes: Sequence[str]) -> tuple[np.ndarray, list[list[str]]]:
    """(value numbers per row and axis, the values of each axis in their order)."""
    codes, levels = [], []
    for axis in axes:
        texts = [_text(value) for value in cells[axis]]
        values = sorted(set(texts), key=_by_number)
        number = {value: index for index, value in enumerate(values)}
        codes.append([number[text] for text in texts])
        levels.append(values)
    return np.array(codes).T, levels


def _text(value: Any) -> str:
    if value is None or value != value:
        return "none"
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _by_number(text: str) -> tuple[float, str]:
    try:
        return float(text), text
    except ValueError:
        return math.inf, text


def _pairs(
    codes: np.ndarray, logarithms: np.ndarray, number: int, others: Sequence[int]
) -> Iterator[tuple[tuple[int, int], list[float]]]:
    """((before, after), differences) over all groups of configurations that differ in one axis alone."""
    groups: dict[tuple[int, ...], dict[int, float]] = {}
    for row, value in zip(codes, logarithms, strict=True):
        groups.setdefault(tuple(row[list(others)]), {})[int(row[number])] = float(value)
    differences: dict[tuple[int, int], list[float]] = {}
    for group in groups.values():
        for before, after in combinations(sorted(group), 2):
            differences.setdefault((before, after), []).append(group[after] - group[before])
    yield from differences.items()


def _paired(axis: str, before: str, after: str, differences: np.ndarray) -> OptionEffect:
    count, mean = len(differences), float(differences.mean())
    low = high = None
    if count > 1:
        error = float(differences.std(ddof=1)) / math.sqrt(count)
        reach = t_quantile(0.975, count - 1.0) * error
        low, high = math.exp(mean - reach), math.exp(mean + reach)
    least, most = math.exp(differences.min()), math.exp(differences.max())
    return OptionEffect(axis, before, after, math.exp(mean), low, high, count, least, most, PAIRED)


def _design(codes: np.ndarray, without: int | None = None) -> np.ndarray:
    """An intercept and one column per value of each axis but its first."""
    columns = [np.ones(len(codes))]
    for number in range(codes.shape[1]):
        if number != without:
            columns += [
                (codes[:, number] == level).astype(float) for level in range(1, int(codes[:, number].max()) + 1)
            ]
    return np.column_stack(columns)


def _is_estimable(codes: np.ndarray, number: int) -> bool:
    """Whether all columns of the axis add to the rank of the others, with rows left to see the scatter."""
    levels = int(codes[:, number].max())
    full, rest = (np.linalg.matrix_rank(_design(codes, without)) for without in (None, number))
    return bool(full - rest == levels and len(codes) > full)


def _aliases(codes: np.ndarray, axes: Sequence[str], number: int) -> tuple[str, ...]:
    """Axes with which it varies: those whose absence makes it estimable, else all others."""
    names = []
    for other in range(codes.shape[1]):
        if other == number:
            continue
        kept = np.delete(codes, other, axis=1)
        if _is_estimable(kept, number - (other < number)):
            names.append(axes[other])
    return tuple(names or [axis for index, axis in enumerate(axes) if index != number])


def _fitted(
    axis: str, levels: Sequence[str], codes: np.ndarray, logarithms: np.ndarray, number: int
) -> Iterator[OptionEffect]:
    """Each value against the first one."""
    design = _design(codes)
    first = 1 + sum(int(codes[:, index].max()) for index in range(number))
    random = np.random.default_rng(0)
    count = len(codes)
    rows = random.integers(0, count, (_RESAMPLES, count))
    rank = np.linalg.matrix_rank(design)
    estimate = np.linalg.lstsq(design, logarithms, rcond=None)[0]
    samples = np.array([
        np.linalg.lstsq(design[chosen], logarithms[chosen], rcond=None)[0]
        for chosen in rows
        if np.linalg.matrix_rank(design[chosen]) == rank
    ])  # fmt: skip
    for level in range(1, len(levels)):
        column = first + level - 1
        ratio = math.exp(float(estimate[column]))
        low = high = None
        if len(samples) > _RESAMPLES // 2:
            low, high = (float(math.exp(value)) for value in np.quantile(samples[:, column], (0.025, 0.975)))
        yield OptionEffect(axis, levels[0], levels[level], ratio, low, high, count, ratio, ratio, FITTED)


def _shares(codes: np.ndarray, axes: Sequence[str], logarithms: np.ndarray) -> dict[str, float]:
    """Increase of the residual sum of squares without the axis, over the total sum of squares."""
    total = float(((logarithms - logarithms.mean()) ** 2).sum())
    if not total > 0.0:
        return {}
    full = _rest(_design(codes), logarithms)
    return {
        axis: max(0.0, (_rest(_design(codes, number), logarithms) - full) / total) for number, axis in enumerate(axes)
    }


def _rest(design: np.ndarray, logarithms: np.ndarray) -> float:
    fitted = design @ np.linalg.lstsq(design, logarithms, rcond=None)[0]
    return float(((logarithms - fitted) ** 2).sum())
