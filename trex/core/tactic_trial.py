"""TacticTrial: how the two fastest tactics of a layer compared when the builder timed them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TacticTrial:
    """layer: its name in the engine. tactic: id of the fastest, which the builder chose. second: id of the next.

    tried: how many tactics the builder timed for these formats.
    """

    layer: str
    tactic: int
    fastest_ms: float
    second: int
    second_ms: float
    tried: int

    @property
    def margin_pct(self) -> float:
        """How much longer the second took, in % of the fastest; infinite if that took no time."""
        return 100.0 * (self.second_ms / self.fastest_ms - 1.0) if self.fastest_ms > 0 else float("inf")
