"""TacticTrial: how a builder's two fastest tactics of a layer compared when it timed them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TacticTrial:
    """layer: its name, as the engine has it. tactic: id of the fastest, which the builder chose. second: of the next.

    Times are milliseconds, as the builder timed them. tried: how many tactics it timed for these formats.
    """

    layer: str
    tactic: int
    fastest_ms: float
    second: int
    second_ms: float
    tried: int

    @property
    def margin_pct(self) -> float:
        """By how much of its own time the fastest was faster; infinite when it took no time."""
        return 100.0 * (self.second_ms / self.fastest_ms - 1.0) if self.fastest_ms > 0 else float("inf")
