"""FormatTiming: how long the fastest tactic of a layer took in one combination of types, as the builder timed it."""

from __future__ import annotations

from dataclasses import dataclass

from trex.core.data_type import DataType


@dataclass(frozen=True, slots=True)
class FormatTiming:
    """layer: its name in the engine. reads, writes: types of its inputs and outputs. tactic: id of the fastest."""

    layer: str
    reads: tuple[DataType, ...]
    writes: tuple[DataType, ...]
    tactic: int
    fastest_ms: float
