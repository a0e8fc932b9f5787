"""How times grow with the batch size, and from which batch on a larger one gains nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

LINEAR = 0.9
"""From this exponent (time ∝ batch^exponent) a larger batch takes hardly less time per item."""


@dataclass(frozen=True)
class ScalingCurve:
    """name: a module or the whole engine. batches: ascending. ms: the time at each, None if unknown."""

    name: str
    batches: tuple[int, ...]
    ms: tuple[float | None, ...]

    @cached_property
    def points(self) -> tuple[tuple[int, float], ...]:
        """(batch, ms) of known times above zero."""
        return tuple(
            (batch, ms) for batch, ms in zip(self.batches, self.ms, strict=True) if ms is not None and ms > 0.0
        )

    @property
    def item_ms(self) -> tuple[float | None, ...]:
        """Time per item of the batch."""
        return tuple(None if ms is None else ms / batch for batch, ms in zip(self.batches, self.ms, strict=True))

    @cached_property
    def exponents(self) -> tuple[tuple[int, int, float], ...]:
        """(batch, next batch, e) with time ∝ batch^e between the two: 0 is free, 1 is linear."""
        pairs = zip(self.points, self.points[1:])
        return tuple((b, c, math.log(u / t) / math.log(c / b)) for (b, t), (c, u) in pairs)

    @cached_property
    def exponent(self) -> float | None:
        """Of all points, by least squares of log time over log batch; None with fewer than two."""
        if len(self.points) < 2:
            return None
        xs = [math.log(batch) for batch, _ in self.points]
        ys = [math.log(ms) for _, ms in self.points]
        x, y = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
        return math.fsum((a - x) * (b - y) for a, b in zip(xs, ys)) / math.fsum((a - x) ** 2 for a in xs)

    @property
    def efficiency(self) -> tuple[float | None, ...]:
        """Items per second relative to the smallest known batch: 2 is twice as many."""
        if not self.points:
            return (None,) * len(self.batches)
        first = self.points[0][1] / self.points[0][0]
        return tuple(None if ms is None or ms <= 0.0 else first / ms for ms in self.item_ms)

    @cached_property
    def saturates_at(self) -> int | None:
        """The smallest batch from which every step is linear (exponent ≥ 0.9), so that larger ones gain hardly anything
        per item; None if the last step still gains, and with fewer than two points.
        """
        saturated = None
        for batch, _, exponent in reversed(self.exponents):
            if exponent < LINEAR:
                break
            saturated = batch
        return saturated

    @property
    def words(self) -> str:
        if not self.exponents:
            return "too few times"
        if self.saturates_at is None:
            return f"still gains at {self.points[-1][0]}"
        if self.saturates_at == self.points[0][0]:
            return "linear throughout"
        return f"gains up to {self.saturates_at}, linear from there"


def curves_of(batches: Sequence[int], times: Mapping[str, Sequence[float | None]]) -> tuple[ScalingCurve, ...]:
    """One curve per name. batches: of the engines, in any order; times: per name, one per engine."""
    order = sorted(range(len(batches)), key=batches.__getitem__)
    ascending = tuple(batches[index] for index in order)
    return tuple(ScalingCurve(name, ascending, tuple(ms[index] for index in order)) for name, ms in times.items())
