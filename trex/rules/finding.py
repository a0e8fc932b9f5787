"""What a rule reports: a Finding with evidence and a fix, or Unchecked with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any


class Severity(IntEnum):
    """How much a kind of finding matters; what it costs in this engine is in milliseconds."""

    NOTE = 0
    WARNING = 1
    ERROR = 2

    @property
    def word(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Evidence:
    """One number or word that a finding rests on. value: None if unknown. unit: ``ms``, ``bytes`` …"""

    what: str
    value: Any
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem, as a rule reports it.

    message: one sentence with names and numbers. layers: ``layer.index`` of all layers concerned, the main one first.
    main_layers: those of ``layers`` that the finding is about, () for all; the others are their neighbors.
    savings: {layer.index: milliseconds}, what fixing the cause saves at most: per layer no more than its own time;
    empty if unknown. formula: how savings are computed. fix: what to change, the best first: an edit of the ONNX model,
    a place for Q/DQ, a flag. One that begins with ``then`` is a further step, the others are alternatives.
    documentation: sources of the fix, by title or address. how_to_check: what shows that the fix worked. confidence: 0
    to 1, how sure it is that the cause is the one named. severity: None for the rule's own. tensors: names of the
    tensors concerned. about_ms: milliseconds of an inference that a finding without savings is about; it ranks by them.
    is_first: it limits what all others are worth, as the findings of some rules always do.
    """

    message: str
    layers: tuple[int, ...] = ()
    savings: Mapping[int, float] = field(default_factory=dict)
    formula: str = ""
    evidence: tuple[Evidence, ...] = ()
    fix: tuple[str, ...] = ()
    documentation: tuple[str, ...] = ()
    how_to_check: str = ""
    confidence: float = 1.0
    severity: Severity | None = None
    tensors: tuple[str, ...] = ()
    main_layers: tuple[int, ...] = ()
    about_ms: float = 0.0
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Unchecked:
    """Why a rule can't check these layers (none: the engine), and what would help. Linting fills in rule and code."""

    reason: str
    hint: str = ""
    layers: tuple[int, ...] = ()
    rule: str = ""
    code: str = ""
