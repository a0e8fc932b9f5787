"""Provenance: whether an engine's data was measured, made up by a script, or predicted; in words for every view."""

from __future__ import annotations

from enum import Enum

COLUMN = "provenance"
"""Of tables that are exported for themselves: the column that says of every row that it was predicted."""


class Provenance(Enum):
    """label: in few words, "" for what was measured. statement: in a sentence, which every view of such data shows."""

    MEASURED = ("", "")
    SYNTHETIC = ("synthetic data", "synthetic example data: made by a script, not measured")
    SIMULATED = (
        "simulated",
        "simulated: the engine and its times were predicted by trex; nothing was built or measured",
    )

    label: str
    statement: str

    def __init__(self, label: str, statement: str) -> None:
        self.label = label
        self.statement = statement

    def titled(self, name: str) -> str:
        """``name · simulated``; the name alone for what was measured."""
        return f"{name} · {self.label}" if self.label else name
