"""Finding: one thing that a rule found, with its evidence, its price and a next step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any


class Severity(IntEnum):
    """How much it matters by its kind; what it costs in this engine is told in milliseconds."""

    NOTE = 0
    WARNING = 1
    ERROR = 2

    @property
    def word(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Evidence:
    """One number or word that the finding rests on. value: None for what is not known. unit: ``ms``, ``bytes`` …"""

    what: str
    value: Any
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found at some layers.

    message: one sentence with names and numbers. layers: ``layer.index`` of those concerned, the main one first.
    at_stake: {layer.index: milliseconds}, for each layer at most its own time: an upper bound of what could be saved
    there if the cause were gone; empty when it cannot be told. formula: how these came about, in words and symbols.
    confidence: 0 to 1, how sure it is that the cause is the one named. severity: None for the rule's own.
    advice: what to try, the best first: an edit of the ONNX model, a place of Q/DQ, a flag. documentation: where the
    advice is documented, by title or address. proof: what would show that it is so. tensors: names of those concerned.
    about: those of ``layers`` that it is about, where the others only stand beside them; () for all of them.
    """

    message: str
    layers: tuple[int, ...] = ()
    at_stake: Mapping[int, float] = field(default_factory=dict)
    formula: str = ""
    evidence: tuple[Evidence, ...] = ()
    advice: tuple[str, ...] = ()
    documentation: tuple[str, ...] = ()
    proof: str = ""
    confidence: float = 1.0
    severity: Severity | None = None
    tensors: tuple[str, ...] = ()
    about: tuple[int, ...] = ()

    @property
    def at_stake_ms(self) -> float:
        """Upper bound of the gain, by itself: findings at the same layers share their time (see ``Review``)."""
        return sum(self.at_stake.values())


@dataclass(frozen=True, slots=True)
class CannotTell:
    """An honest answer: why the rule cannot decide for these layers (none: for the engine), and what would help."""

    reason: str
    hint: str = ""
    layers: tuple[int, ...] = ()
