"""Rule: one pattern to look for in an engine; the registry of rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from trex.core.registry import Registry
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Finding, Severity, Unchecked


@dataclass(frozen=True, slots=True)
class RuleLimit:
    """A number that users may set for a rule. unit: ``ms``, ``%``, ``""`` …"""

    default: float
    unit: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Rule:
    """code: two to six letters and three digits (``CONV003``), never changed. title: what it finds, in a few words.

    check: gets the engine and the rule's limits by name. It may not raise, whatever the engine: without a profile, with
    unknown types, with names only. limits: {name: RuleLimit}. is_first: all its findings limit what the others are
    worth (the measurement, missing data), so they come first. needs_measurement: it judges a run or the speed of chosen
    kernels, so it does not run where times are predicted, nor without times where kernels are chosen later.
    is_experimental: no real engine is known that has what it finds, so it runs only where it is selected. yields_to:
    codes or globs of rules that say it better where they report the same layers; see ``repetition``. The docstring of
    the rule's file has the headings What it finds · Why it matters · What to try · Does not apply.
    """

    code: str
    title: str
    severity: Severity
    check: Callable[[AnalyzedEngine, Mapping[str, float]], Iterable[Finding | Unchecked]]
    limits: Mapping[str, RuleLimit] = field(default_factory=dict)
    is_first: bool = False
    needs_measurement: bool = False
    is_experimental: bool = False
    yields_to: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The title, with a word if it is experimental."""
        return f"{self.title} (experimental)" if self.is_experimental else self.title


RULES = Registry("trex.rules.builtin", "RULE", "rules", kind=Rule)


def matches(pattern: str, name: str, rule: Rule) -> bool:
    """Whether a code, a name or a glob selects this rule; the case of codes does not matter."""
    return fnmatchcase(rule.code.lower(), pattern.lower()) or fnmatchcase(name, pattern.lower())
