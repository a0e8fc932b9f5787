"""A verdict and both batches → PerItem: which engine does more items a second, and how sure that is.

An engine of another batch does other work: less work that takes less time is no faster engine.
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.compare.significance import Outcome, Significance


@dataclass(frozen=True, slots=True)
class PerItem:
    """found: of the whole. batches: of the base and the new engine. speedup: per item, above 1 when the new engine does
    more of them in the same time. low, high: its interval as the whole's, None without one.
    """

    found: Significance
    batches: tuple[int, int]
    speedup: float
    low: float | None
    high: float | None
    outcome: Outcome

    @property
    def is_other(self) -> bool:
        """Whether it is another question than that of the whole."""
        return self.batches[0] != self.batches[1]

    @property
    def between(self) -> str:
        """Behind a predicted speed-up: what its error bars hold; else ""."""
        prediction = self.found.prediction
        if prediction is None or self.low is None or self.high is None:
            return ""
        return f" ({self.low:.2f} to {self.high:.2f} by {prediction.bars})"

    @property
    def sentence(self) -> str:
        """The verdict in words; that of the whole where both batches are the same or a time is unknown."""
        found = self.found
        if not self.is_other or found.left_ms is None or found.right_ms is None:
            return found.sentence
        margin = "" if found.shown_margin_pct is None else f" ± {found.shown_margin_pct:.1f} %"
        times = f"{found.left_ms:.4g} ms at batch {self.batches[0]} → {found.right_ms:.4g} ms at {self.batches[1]}"
        unlike = f"{found.prediction.unlike}; " if found.prediction is not None and found.prediction.is_mixed else ""
        rate = f"{self.speedup:.2f} times the items per second{self.between}{margin}"
        told = f"{unlike}per item {self.outcome.value}, {rate} by {found.label} ({times})."
        return f"{told[0].upper()}{told[1:]}"


def per_item_of(found: Significance, base: int | None, new: int | None) -> PerItem | None:
    """The speed-up of the whole times the ratio of the batches; None where one of them or the speed-up is not known."""
    if found.speedup is None or not base or not new:
        return None
    ratio = new / base
    batches, speedup = (base, new), found.speedup * ratio
    if ratio == 1.0:
        return PerItem(found, batches, speedup, found.low, found.high, found.outcome)
    if found.outcome is Outcome.UNKNOWN or found.low is None or found.high is None:
        return PerItem(found, batches, speedup, None, None, Outcome.UNKNOWN)
    wander = found.uncertainty_pct / 100.0
    low, high = found.low * ratio / (1.0 + wander), found.high * ratio * (1.0 + wander)
    return PerItem(found, batches, speedup, low, high, Outcome.of(low, high, found.prediction is not None))
