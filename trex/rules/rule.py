"""Rule: one pattern to be found; the registry of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from trex.core.registry import Registry
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Finding, Severity


@dataclass(frozen=True, slots=True)
class Limit:
    """A number that users may set for a rule. unit: ``ms``, ``%``, ``""`` …"""

    default: float
    unit: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Rule:
    """code: two to six letters and three digits (``CONV003``), stable for ever. title: what it finds, in a few words.

    check: the findings, or what it cannot tell; it gets the engine and the rule's limits by name. It may assume
    nothing of the engine: no profile, unknown types, names only. is_first: tells what limits everything after it.
    limits: {name: Limit}. The rule's file has one docstring with the headings What it finds · Why it matters · What to
    try · Does not apply.
    """

    code: str
    title: str
    severity: Severity
    check: Callable[[Inspected, Mapping[str, float]], Iterable[Finding | CannotTell]]
    limits: Mapping[str, Limit] = field(default_factory=dict)
    is_first: bool = False


RULES = Registry("trex.rules.builtin", "RULE", "rules")
