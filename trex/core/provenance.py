"""Provenance: whether an engine's data was measured, made by a script, or predicted."""

from __future__ import annotations

import re
from enum import Enum

COLUMN = "provenance"
"""The column of exported tables that marks rows of predicted data; in a frame's ``attrs`` its label."""

STATEMENT = "statement"
"""In a frame's ``attrs``: the sentence for predicted data, and for times in doubt or missing layers."""

DOUBT = "doubt"
"""In a frame's ``attrs``: ``times in doubt``, ``layers missing`` or ``layer times in doubt``, for titles."""

_BUILDER = "TensorRT for RTX"
_RELEASE = re.compile(r"for RTX \d{1,4}(?:\.\d{1,4}){1,3}(?!\S)", re.ASCII)


def rtx_release(text: str) -> str:
    """``TensorRT for RTX 1.7.1`` → ``for RTX 1.7.1``; "" for any other builder."""
    match = _RELEASE.search(text)
    return match[0] if match else ""


class Provenance(Enum):
    """label: "" for measured data. statement: a sentence that every view of such data shows; ``stated`` adds what is
    known of the release.
    """

    MEASURED = ("", "")
    SYNTHETIC = ("synthetic data", "synthetic example data: made by a script, not measured")
    SIMULATED = (
        "simulated",
        "simulated: the engine and its times were predicted by trex; nothing was built or measured",
    )
    BUILT_ON_CPU = ("built on a CPU, not measured", f"built by {_BUILDER} on a CPU; times are predicted, not measured")

    label: str
    statement: str

    def __init__(self, label: str, statement: str) -> None:
        self.label = label
        self.statement = statement

    @property
    def has_predicted_times(self) -> bool:
        return self in (Provenance.SIMULATED, Provenance.BUILT_ON_CPU)

    def stated(self, release: str) -> str:
        """The statement with the builder's release. release: ``for RTX 1.7.1``; any other adds nothing."""
        builder = rtx_release(release)
        return self.statement.replace("for RTX", builder) if builder else self.statement

    def is_stated_in(self, text: str) -> bool:
        """With a release or without."""
        return bool(self.statement) and self.statement in _RELEASE.sub("for RTX", text)

    def titled(self, name: str) -> str:
        """``name · simulated``; the name alone for measured data."""
        return f"{name} · {self.label}" if self.label else name
