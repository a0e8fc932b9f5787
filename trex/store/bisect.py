"""Two runs along an ordered axis → Bisection: where the change lies, how sure that is, and which run to make next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trex.core.bounded_exponent import bounded_expm1
from trex.perf.samples.series import Floats

CONFIDENCE = 0.99
"""Posterior probability from which a change counts as found."""

ASSUMED_SPREAD = 0.01
"""Relative standard deviation between runs of one engine, as long as repeated runs do not show it."""

EXACT_SPREAD = 1e-4
"""The same of predictions and sizes, which are equal in every run."""

_TAIL = 4.0
_NEITHER = 5.0
_STEPS = 4


@dataclass(frozen=True, slots=True)
class BisectValue:
    """One value of the axis. measured: of each of its runs. run_ids: of the same. state: ``good``, ``bad``,
    ``unclear``, ``skipped`` or ``not run``. chance: that the change begins here.
    """

    value: str
    measured: tuple[float, ...]
    run_ids: tuple[str, ...]
    state: str
    chance: float


class Bisection:
    """values: along the axis; the first is good and the last bad. measured: {index: values of its runs}.

    skipped: indexes that can't be measured. is_exact: runs of one engine have equal values.

    Probabilistic bisection (Horstein 1963; Waeber, Frazier and Henderson 2013, Bisection search with noisy responses):
    each of the values after the first may be the first bad one, equally likely before any run. A run at value i
    multiplies the chance of every culprit at or before i by the likelihood of the bad level, and of the others by that
    of the good level. Levels are the means of the logarithms at both ends; the likelihood is Student's t with four
    degrees of freedom, which an outlier can't overrule, with the spread of repeated runs as scale, 1 % until at least
    three runs show it. Noisy values are repeated as long as they are the most informative ones.
    """

    def __init__(
        self,
        values: Sequence[str],
        measured: Mapping[int, Sequence[float]],
        run_ids: Mapping[int, Sequence[str]] | None = None,
        skipped: Sequence[int] = (),
        *,
        is_exact: bool = False,
    ) -> None:
        self.values = tuple(values)
        self.measured = {index: tuple(runs) for index, runs in measured.items() if runs}
        self.run_ids = {index: tuple(ids) for index, ids in (run_ids or {}).items()}
        self.skipped = frozenset(index for index in skipped if index not in self.measured)
        self.is_exact = is_exact
        self.last = len(self.values) - 1

    @cached_property
    def levels(self) -> tuple[float, float]:
        """Logarithms of the good and of the bad value."""
        good, bad = (np.log(self.measured[index]) for index in (0, self.last))
        return float(good.mean()), float(bad.mean())

    @property
    def change_pct(self) -> float:
        good, bad = self.levels
        return 100.0 * bounded_expm1(bad - good)

    @cached_property
    def spread(self) -> float:
        """Relative standard deviation of runs of one value."""
        if self.is_exact:
            return EXACT_SPREAD
        squares, freedom = 0.0, 0
        for runs in self.measured.values():
            logarithms = np.log(runs)
            squares += float(((logarithms - logarithms.mean()) ** 2).sum())
            freedom += len(runs) - 1
        # As if the assumed spread had been seen in two runs: a few that agree by chance don't make it vanish.
        return math.sqrt((squares + 2.0 * ASSUMED_SPREAD**2) / (freedom + 2))

    @property
    def is_noisy(self) -> bool:
        """Whether one run can't separate the levels."""
        good, bad = self.levels
        return abs(bad - good) < 3.0 * self.spread

    @cached_property
    def posterior(self) -> Floats:
        """Per value the chance that it is the first bad one; 0 for the first value.

        The levels are estimated from all runs, each with the chance that it is on that side (expectation-maximization,
        Dempster, Laird and Rubin 1977), and their own error widens the scale of the likelihood.
        """
        indexes = np.array([index for index, runs in self.measured.items() for _ in runs])
        runs = np.log([value for values in self.measured.values() for value in values])
        weights = np.where(indexes == self.last, 1.0, 0.0)  # of the bad level
        counts = np.isin(indexes, (0, self.last)).astype(float)
        result = np.zeros(len(self.values))
        for _ in range(_STEPS):
            likelihoods = [self._log_likelihood(runs, part * counts) for part in (1.0 - weights, weights)]
            logarithms = np.zeros(len(self.values))
            logarithms[0] = -np.inf
            for index, if_good, if_bad in zip(indexes, *likelihoods, strict=True):
                if index not in (0, self.last):
                    logarithms[: index + 1] += if_bad
                    logarithms[index + 1 :] += if_good
            chances = np.exp(logarithms - logarithms.max())
            result = chances / chances.sum()
            weights, counts = np.cumsum(result)[indexes], np.ones(len(indexes))
            weights[indexes == 0], weights[indexes == self.last] = 0.0, 1.0
        return result

    def _log_likelihood(self, runs: Floats, weights: Floats) -> Floats:
        """Per run, of the level that the weighted runs have."""
        total = float(weights.sum())
        level = float((weights * runs).sum()) / total
        squares = (runs - level) ** 2 / (self.spread**2 * (1.0 + 1.0 / total))
        result: Floats = -(_TAIL + 1.0) / 2.0 * np.log1p(squares / _TAIL)
        return result

    @property
    def culprits(self) -> tuple[int, ...]:
        """The values, one if none is skipped, one being the first bad one: the likeliest such group."""
        return max(self._groups, key=lambda group: sum(self.posterior[index] for index in group))

    @cached_property
    def _groups(self) -> list[tuple[int, ...]]:
        """Values that no run can separate: those up to the next one that is not skipped."""
        groups, current = [], list[int]()
        for index in range(1, len(self.values)):
            current.append(index)
            if index not in self.skipped:
                groups.append(tuple(current))
                current = []
        return groups

    @property
    def confidence(self) -> float:
        """Chance that ``culprits`` contain the change."""
        return float(sum(self.posterior[index] for index in self.culprits))

    @property
    def is_found(self) -> bool:
        """Whether it is likely enough, and not merely somewhere between both ends."""
        return self.confidence >= CONFIDENCE and len(self.culprits) < max(2, self.last)

    @property
    def next(self) -> int | None:
        """The value whose run halves what is left; None if the change is found, or no value is left to run.

        An end if the levels are so close that its repetition says more.
        """
        if self.is_found:
            return None
        inner = [index for index in range(1, self.last) if index not in self.skipped]
        if not inner:
            return None
        is_bad = np.cumsum(self.posterior)
        ends = [index for index in (0, self.last) if len(self.measured[index]) < self._runs_at_ends]
        if ends:
            return min(ends, key=lambda index: len(self.measured[index]))
        return min(inner, key=lambda index: (abs(is_bad[index] - 0.5), len(self.measured.get(index, ())), index))

    @property
    def _runs_at_ends(self) -> int:
        """How often the ends are run: up to five times if noise is as large as the change."""
        good, bad = self.levels
        return 1 if not self.is_noisy else min(5, math.ceil((3.0 * self.spread / max(abs(bad - good), 1e-9)) ** 2))

    @property
    def neither(self) -> tuple[int, ...]:
        """Values whose runs fit neither level: perhaps there are several changes."""
        good, bad = self.levels
        result = []
        for index, runs in self.measured.items():
            mean = float(np.log(runs).mean())
            reach = _NEITHER * self.spread
            if min(abs(mean - good), abs(mean - bad)) > reach and index not in (0, self.last):
                result.append(index)
        return tuple(sorted(result))

    @property
    def runs_left(self) -> int:
        """About how many more runs are needed, with one per value."""
        if self.is_found:
            return 0
        likely = self.posterior[self.posterior > 0.0]
        return math.ceil(max(1.0, -float((likely * np.log2(likely)).sum())))

    def rows(self) -> tuple[BisectValue, ...]:
        """Every value."""
        is_bad = np.cumsum(self.posterior)
        return tuple(
            BisectValue(
                value,
                self.measured.get(index, ()),
                self.run_ids.get(index, ()),
                self._state(index, float(is_bad[index])),
                float(self.posterior[index]),
            )
            for index, value in enumerate(self.values)
        )

    def _state(self, index: int, is_bad: float) -> str:
        if index in self.skipped:
            return "skipped"
        if index not in self.measured:
            return "not run"
        if index in (0, self.last):
            return "bad" if index else "good"
        good, bad = self.levels
        mean = float(np.log(self.measured[index]).mean())
        if max(is_bad, 1.0 - is_bad) < CONFIDENCE:
            return "unclear"
        return "bad" if abs(mean - bad) < abs(mean - good) else "good"
