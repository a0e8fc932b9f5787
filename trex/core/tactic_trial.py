"""TacticTrial: how the two fastest tactics of a layer compared when the builder timed them."""

from __future__ import annotations

from dataclasses import dataclass

from trex.core.data_type import DataType


@dataclass(frozen=True, slots=True)
class TacticTrial:
    """layer: its name in the engine; of an operation of Myelin, the name in Myelin's table. tactic: id of the fastest,
    which the builder chose. second: id of the next.

    tried: how many tactics the builder timed for these formats. reads: the type of the first input. region: of an
    operation, the ForeignNode it belongs to. kernel: the name of the fastest; only of operations.
    """

    layer: str
    tactic: int
    fastest_ms: float
    second: int
    second_ms: float
    tried: int
    reads: DataType = DataType.UNKNOWN
    region: str = ""
    kernel: str = ""

    @property
    def margin_pct(self) -> float:
        """How much longer the second took, in % of the fastest; infinite if that took no time."""
        return 100.0 * (self.second_ms / self.fastest_ms - 1.0) if self.fastest_ms > 0 else float("inf")
