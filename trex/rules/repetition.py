"""Reported findings → those that say something new: one layer, one cause, one finding.

A general rule (``Rule.yields_to``) states that a layer is slow, or that reformats add up; a specific one states why,
and what to change. Where the specific rules report nearly all of the time that a general finding is about, it is left
out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Finding
from trex.rules.rule import Rule
from trex.rules.suppression import ReportedFinding

NEW_PCT = 1.0
"""Least share of the engine's time that no other finding reports, for a finding to be of use."""


def without_repeated(reported: Sequence[ReportedFinding], engine: AnalyzedEngine) -> list[ReportedFinding]:
    """The findings without those whose layers others report, by the rules that they yield to, in the order given.

    Without times, a finding stays if one of its layers is new.
    """
    rules = {rule.code: rule for _, rule, _ in reported}
    known: dict[str, set[int]] = {}
    repeated: set[int] = set()
    for code in sorted(rules, key=lambda code: _depth(code, rules)):
        elsewhere: set[int] = set().union(*(known.get(other, ()) for other in _better(code, rules)))
        own = known.setdefault(code, set())
        for _, _, finding in (item for item in reported if item[1].code == code):
            layers = _layers(finding)
            if elsewhere and layers and not _is_new(engine, layers - elsewhere):
                repeated.add(id(finding))
            else:
                own |= layers
    return [item for item in reported if id(item[2]) not in repeated]


def _better(code: str, rules: Mapping[str, Rule]) -> list[str]:
    """The codes that a rule yields to."""
    patterns = rules[code].yields_to
    return [other for other in rules if other != code and any(fnmatchcase(other, pattern) for pattern in patterns)]


def _depth(code: str, rules: Mapping[str, Rule]) -> int:
    """0 for a rule that yields to none; a rule comes after those that it yields to."""
    return 1 + max((_depth(other, rules) for other in _better(code, rules)), default=-1)


def _is_new(engine: AnalyzedEngine, layers: set[int]) -> bool:
    positions = [engine.position_of[index] for index in layers if index in engine.position_of]
    return engine.takes_share(engine.sum_ms(positions), NEW_PCT) if engine.is_timed else bool(positions)


def _layers(finding: Finding) -> set[int]:
    """The layers whose time a finding explains: those with savings, else those that it is about."""
    return set(finding.savings or finding.main_layers or finding.layers)
