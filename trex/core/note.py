"""A Note: one thing that was repaired, missing or not understood, travelling with the data it concerns."""

from __future__ import annotations

from dataclasses import dataclass

SEVERITIES = ("info", "warning", "problem")


@dataclass(frozen=True, slots=True)
class Note:
    """What a reader of the data should know about how it was read.

    code: stable kebab-case identifier (``names-only-engine``), made for filtering and tests.
    message: one sentence of fact, with numbers ("3 of 40 layers have no profile record").
    hint: what the user can do about it, often a command; empty when there is nothing to do.
    where: the address (``resnet.graph.json:1:840``, a layer name), or empty.
    severity: ``info`` (good to know), ``warning`` (a number is partial), ``problem`` (data was lost).
    """

    code: str
    message: str
    hint: str = ""
    where: str = ""
    severity: str = "warning"

    def __post_init__(self) -> None:
        if self.severity not in SEVERITIES:
            raise ValueError(f"severity {self.severity!r} is not one of {SEVERITIES}")

    def __str__(self) -> str:
        address = f"{self.where}: " if self.where else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{address}{self.message}{hint}"
