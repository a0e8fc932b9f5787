"""The verdict per item of the batch: which engine processes more items per second.

Less work in less time is not a faster engine, so engines with different batches are compared per item.
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.compare.significance import Significance, SpeedOutcome, error_bars


@dataclass(frozen=True, slots=True)
class PerItem:
    """whole: per inference. batches: of the base and the new engine. speedup: items per second of the new engine over
    the base's. low, high: its interval, None without one.
    """

    whole: Significance
    batches: tuple[int, int]
    speedup: float
    low: float | None
    high: float | None
    outcome: SpeedOutcome

    @property
    def has_two_batches(self) -> bool:
        return self.batches[0] != self.batches[1]

    @property
    def error_bars(self) -> str:
        """``error bars 2.67× to 6.00×`` for a prediction; "" without them."""
        return error_bars(self.low, self.high) if self.whole.prediction else ""

    @property
    def sentence(self) -> str:
        """The verdict in words; that per inference if both batches are equal or a time is unknown."""
        whole, prediction = self.whole, self.whole.prediction
        if not self.has_two_batches or whole.left_ms is None or whole.right_ms is None:
            return whole.sentence
        margin = "" if whole.shown_margin_pct is None else f" ± {whole.shown_margin_pct:.1f} %"
        bars = f", {self.error_bars}" if self.error_bars else ""
        times = f"{whole.left_ms:.4g} ms at batch {self.batches[0]} → {whole.right_ms:.4g} ms at {self.batches[1]}"
        mixed = f"{prediction.origin}; " if prediction is not None and prediction.is_mixed else ""
        rate = f"{self.speedup:.2f}× the items per second{margin}{bars}"
        scope = "" if prediction is not None or whole.outcome is SpeedOutcome.UNKNOWN else f" {whole.scope}"
        sentence = f"{mixed}per item {self.outcome.value}{scope}: {rate} ({whole.label} {times})."
        return f"{sentence[0].upper()}{sentence[1:]}"


def per_item_of(whole: Significance, base: int | None, new: int | None) -> PerItem | None:
    """The speed-up times the ratio of the batches; None if one of them or the speed-up is unknown."""
    if whole.speedup is None or not base or not new:
        return None
    ratio = new / base
    batches, speedup = (base, new), whole.speedup * ratio
    if ratio == 1.0:
        return PerItem(whole, batches, speedup, whole.low, whole.high, whole.outcome)
    if whole.outcome is SpeedOutcome.UNKNOWN or whole.low is None or whole.high is None:
        return PerItem(whole, batches, speedup, None, None, SpeedOutcome.UNKNOWN)
    drift = whole.uncertainty_pct / 100.0
    low, high = whole.low * ratio / (1.0 + drift), whole.high * ratio * (1.0 + drift)
    return PerItem(whole, batches, speedup, low, high, SpeedOutcome.of(low, high, whole.prediction is not None))
