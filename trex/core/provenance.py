"""Provenance: whether an engine's data was measured, made by a script, or predicted."""

from __future__ import annotations

from enum import Enum

COLUMN = "provenance"
"""The column of exported tables that marks rows of predicted data."""


class Provenance(Enum):
    """label: "" for measured data. statement: a sentence that every view of such data shows."""

    MEASURED = ("", "")
    SYNTHETIC = ("synthetic data", "synthetic example data: made by a script, not measured")
    SIMULATED = (
        "simulated",
        "simulated: the engine and its times were predicted by trex; nothing was built or measured",
    )
    BUILT_ON_CPU = ("built on a CPU", "built by TensorRT for RTX on a CPU; any times are predicted, not measured")

    label: str
    statement: str

    def __init__(self, label: str, statement: str) -> None:
        self.label = label
        self.statement = statement

    @property
    def has_predicted_times(self) -> bool:
        return self in (Provenance.SIMULATED, Provenance.BUILT_ON_CPU)

    def titled(self, name: str) -> str:
        """``name · simulated``; the name alone for measured data."""
        return f"{name} · {self.label}" if self.label else name
