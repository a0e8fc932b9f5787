"""Configurations of a sweep → Effects: by how much each option changes a quantity, with an interval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from trex.core.bounded_exponent import bounded_exp
from trex.perf.samples.student import t_quantile

if TYPE_CHECKING:
    import pandas as pd

_ROUNDING = 1e-9
MOST_VALUES, MOST_AXES = 12, 24
"""Of an axis whose effects are judged."""
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

    confounded: (axis, the axes that vary with it), whose effect can't be separated from theirs. large: axes with more
    than MOST_VALUES values: they have no effects, and all others are those at one of their values. Of more than
    MOST_AXES axes none has effects: they take the cube of their number, which is too_many then.
    """

    effects: tuple[OptionEffect, ...]
    shares: dict[str, float]
    confounded: tuple[tuple[str, tuple[str, ...]], ...] = ()
    large: tuple[str, ...] = ()
    too_many: int = 0


def effects_of(cells: pd.DataFrame, axes: Sequence[str], column: str) -> Effects:
    """cells: one row per configuration. axes: their columns. column: a positive quantity.

    Paired where configurations exist that differ in this axis alone: the mean of ln(after / before) over all such pairs
    and Student's t interval, which says how far the effect holds for other configurations of the same kind. Else least
    squares of the logarithms on the values of all axes, with intervals that hold where the scatter differs (HC3,
    MacKinnon and White 1985), if the design allows it: an axis whose columns depend linearly on those of the others is
    confounded.
    """
    known = cells[cells[column].notna() & (cells[column] > 0.0)]
    coded = {axis: _coded(known[axis]) for axis in axes if known[axis].nunique(dropna=False) > 1}
    large = tuple(axis for axis, (_, levels) in coded.items() if len(levels) > MOST_VALUES)
    used = [axis for axis in coded if axis not in large]
    too_many = len(used) if len(used) > MOST_AXES else 0
    if len(known) < 2 or not used or too_many:
        return Effects((), {}, (), large, too_many)
    logarithms = np.log(known[column].to_numpy(dtype=np.float64))
    codes, levels = np.column_stack([coded[axis][0] for axis in used]), [coded[axis][1] for axis in used]
    groups = _groups(len(known), [coded[axis][0] for axis in large])
    effects: list[OptionEffect] = []
    together: list[int] = []
    for number, axis in enumerate(used):
        pairs = _pairs(codes[:, number], np.column_stack((np.delete(codes, number, axis=1), groups)), logarithms)
        unpaired = False
        for before, after in combinations(range(len(levels[number])), 2):
            names = levels[number][before], levels[number][after]
            if (before, after) in pairs:
                effects.append(_paired(axis, *names, np.array(pairs[before, after])))
            else:
                unpaired = True
        if unpaired and not pairs:
            if _is_estimable(codes, groups, number):
                effects += _fitted(axis, levels[number], codes, groups, logarithms, number)
            else:
                together.append(number)
    effects.sort(key=lambda effect: -abs(math.log(effect.ratio)))
    apart = _apart(codes, groups) if together else np.empty((0, 0))
    confounded = tuple((used[number], _aliases(codes, groups, used, large, apart, number)) for number in together)
    return Effects(tuple(effects), _shares(codes, groups, used, logarithms), confounded, large)


def _coded(column: pd.Series[Any]) -> tuple[np.ndarray, list[str]]:
    """(value numbers per row, the values in their order)."""
    texts = [_text(value) for value in column]
    values = sorted(set(texts), key=_by_number)
    number = {value: index for index, value in enumerate(values)}
    return np.array([number[text] for text in texts]), values


def _groups(count: int, codes: Sequence[np.ndarray]) -> np.ndarray:
    """The number of each row's combination of values."""
    if not codes:
        return np.zeros(count, dtype=np.int64)
    return np.unique(np.column_stack(codes), axis=0, return_inverse=True)[1].reshape(-1)


def _text(value: Any) -> str:
    if value is None or value != value:
        return "none"
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _by_number(text: str) -> tuple[float, str]:
    try:
        return float(text), text
    except ValueError:
        return math.inf, text


def _pairs(own: np.ndarray, others: np.ndarray, logarithms: np.ndarray) -> dict[tuple[int, int], list[float]]:
    """{(before, after): differences} over all groups of configurations that differ in one axis alone. own: codes of
    this axis; others: of all others.
    """
    groups: dict[tuple[int, ...], dict[int, float]] = {}
    for code, row, value in zip(own, others, logarithms, strict=True):
        groups.setdefault(tuple(row), {})[int(code)] = float(value)
    differences: dict[tuple[int, int], list[float]] = {}
    for group in groups.values():
        for before, after in combinations(sorted(group), 2):
            differences.setdefault((before, after), []).append(group[after] - group[before])
    return differences


def _paired(axis: str, before: str, after: str, differences: np.ndarray) -> OptionEffect:
    count, mean = len(differences), float(differences.mean())
    low = high = None
    if count > 1:
        error = float(differences.std(ddof=1)) / math.sqrt(count)
        reach = t_quantile(0.975, count - 1.0) * error
        low, high = bounded_exp(mean - reach), bounded_exp(mean + reach)
    least, most = bounded_exp(differences.min()), bounded_exp(differences.max())
    return OptionEffect(axis, before, after, bounded_exp(mean), low, high, count, least, most, PAIRED)


def _design(codes: np.ndarray, without: int | None = None) -> np.ndarray:
    """An intercept and one column per value of each axis but its first."""
    columns = [np.ones(len(codes))]
    for number in range(codes.shape[1]):
        if number != without:
            columns += [
                (codes[:, number] == level).astype(float) for level in range(1, int(codes[:, number].max()) + 1)
            ]
    return np.column_stack(columns)


def _within(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Minus the mean of the row's group: as with a column per group, but fast for many (Frisch and Waugh 1933)."""
    counts = np.bincount(groups)
    sums = np.zeros((len(counts), *values.shape[1:]))
    np.add.at(sums, groups, values)
    result: np.ndarray = values - (sums.T / np.maximum(counts, 1)).T[groups]
    return result


def _is_estimable(codes: np.ndarray, groups: np.ndarray, number: int) -> bool:
    """Whether all columns of the axis add to the rank of the others, with rows left to see the scatter."""
    levels = int(codes[:, number].max())
    full, rest = (np.linalg.matrix_rank(_within(_design(codes, without), groups)) for without in (None, number))
    return bool(full - rest == levels and len(codes) > full + len(np.unique(groups)))


def _aliases(
    codes: np.ndarray, groups: np.ndarray, axes: Sequence[str], large: Sequence[str], apart: np.ndarray, number: int
) -> tuple[str, ...]:
    """Axes with which it varies: those whose absence makes it estimable, else all others."""
    names = [axis for other, axis in enumerate(axes) if other != number and apart[other, number]]
    if large and _is_estimable(codes, np.zeros_like(groups), number):
        names += large
    return tuple(names or [*(axis for index, axis in enumerate(axes) if index != number), *large])


def _apart(codes: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """[i, j]: whether axis j is estimable without axis i.

    It is if no dependence between columns of the design has a part in j, and without i those dependences are left that
    have no part in i: one decomposition serves all pairs.
    """
    design = _within(_design(codes), groups)
    count = design.shape[1]
    axis_of = np.repeat(np.arange(-1, codes.shape[1]), [1, *codes.max(axis=0)])
    # Rows of zeros: all directions are wanted, those without a size, too.
    _, sizes, right = np.linalg.svd(np.pad(design, ((0, max(0, count - len(design))), (0, 0))), full_matrices=False)
    dependences = right[sizes <= sizes[0] * max(design.shape) * np.finfo(float).eps].T
    apart = np.zeros((codes.shape[1],) * 2, dtype=bool)
    for other in range(codes.shape[1]):
        own = axis_of == other
        _, sizes, right = np.linalg.svd(dependences[own])
        left = dependences @ right[int((sizes > _ROUNDING).sum()) :].T
        rank = count - int(own.sum()) - left.shape[1]
        if len(codes) > rank + len(np.unique(groups)):
            apart[other] = True
            apart[other, np.setdiff1d(axis_of[(np.abs(left) > _ROUNDING).any(axis=1)], (-1,))] = False
    return apart


def _fitted(
    axis: str, levels: Sequence[str], codes: np.ndarray, groups: np.ndarray, logarithms: np.ndarray, number: int
) -> Iterator[OptionEffect]:
    """Each value against the first one. The interval is unknown (None) where one configuration alone decides."""
    first = 1 + sum(int(codes[:, index].max()) for index in range(number))
    columns = slice(first, first + len(levels) - 1)
    left, sizes, right = np.linalg.svd(_within(_design(codes), groups), full_matrices=False)
    is_used = sizes > sizes[0] * max(len(codes), len(right)) * np.finfo(float).eps
    left, right = left[:, is_used], right[is_used]
    weights = (right[:, columns].T / sizes[is_used]) @ left.T  # of each configuration in each ratio
    centered = _within(logarithms, groups)
    estimates = weights @ centered
    sizes_of_groups = np.bincount(groups)
    left_over = 1.0 - (left**2).sum(axis=1) - 1.0 / sizes_of_groups[groups]
    decides = left_over < _ROUNDING
    errors = np.where(decides, 0.0, (centered - left @ (left.T @ centered)) / np.where(decides, 1.0, left_over))
    freedom = float(len(codes) - is_used.sum() - len(sizes_of_groups))
    reaches = t_quantile(0.975, freedom) * np.sqrt(weights**2 @ errors**2)
    is_unknown = (np.abs(weights[:, decides]) > _ROUNDING).any(axis=1)
    for name, estimate, reach, unknown in zip(levels[1:], estimates, reaches, is_unknown, strict=True):
        ratio = bounded_exp(estimate)
        low, high = (None, None) if unknown else (bounded_exp(estimate - reach), bounded_exp(estimate + reach))
        yield OptionEffect(axis, levels[0], name, ratio, low, high, len(codes), ratio, ratio, FITTED)


def _shares(codes: np.ndarray, groups: np.ndarray, axes: Sequence[str], logarithms: np.ndarray) -> dict[str, float]:
    """Increase of the residual sum of squares without the axis, over the total sum of squares."""
    total = float(((logarithms - logarithms.mean()) ** 2).sum())
    if not total > 0.0:
        return {}
    full = _rest(_design(codes), groups, logarithms)
    return {
        axis: max(0.0, (_rest(_design(codes, number), groups, logarithms) - full) / total)
        for number, axis in enumerate(axes)
    }


def _rest(design: np.ndarray, groups: np.ndarray, logarithms: np.ndarray) -> float:
    design, logarithms = _within(design, groups), _within(logarithms, groups)
    fitted = design @ np.linalg.lstsq(design, logarithms, rcond=None)[0]
    return float(((logarithms - fitted) ** 2).sum())
