"""Findings and suppressions → kept and suppressed findings, and Notes on suppressions that no longer hold."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from datetime import date

from trex.core.configuration import Suppression
from trex.core.counted import counted
from trex.core.name_globs import matcher
from trex.core.note import Note
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Finding, Severity
from trex.rules.lint_result import LintResult
from trex.rules.rule import RULES, Rule, matches

ReportedFinding = tuple[str, Rule, Finding]
"""A finding with its rule and the rule's name."""
_NUMBER = re.compile(r"\d[\d.,]*")


def severity_of(reported: ReportedFinding) -> Severity:
    _, rule, finding = reported
    return rule.severity if finding.severity is None else finding.severity


def without_suppressed(
    reported: Sequence[ReportedFinding], suppressions: Sequence[Suppression], engine: AnalyzedEngine, today: date
) -> tuple[list[ReportedFinding], list[tuple[ReportedFinding, str]], tuple[Note, ...]]:
    """(kept, (suppressed, reason), notes). A finding is suppressed when all its main layers are.

    When only some are, it is kept for the others: the names and the time of the suppressed layers are left out, and the
    message says so. An expired suppression suppresses nothing, and a note says so where it would have. A note also
    names a suppression of a rule that does not exist, which is most likely misspelled.
    """
    kept: list[ReportedFinding] = []
    hidden: list[tuple[ReportedFinding, str]] = []
    covers = [_Cover(suppression, engine) for suppression in suppressions]
    expired = [0] * len(suppressions)
    for item in reported:
        name, rule, finding = item
        covered = {number: layers for number, cover in enumerate(covers) if (layers := cover(item)) is not None}
        active = [number for number in covered if not _is_over(suppressions[number], today)]
        whole = [number for number in active if covers[number].is_of_all]
        left_out = {index for number in active for index in covered[number]}
        reasons = "; ".join(dict.fromkeys(suppressions[number].reason for number in active))
        if whole:
            hidden.append((item, suppressions[whole[0]].reason))
        elif left_out and left_out.issuperset(finding.main_layers or finding.layers):
            hidden.append((item, reasons))
        else:
            kept.append((name, rule, _without(finding, left_out, reasons)) if left_out else item)
            for number in covered:
                expired[number] += number not in active
    notes = [_expired(suppressions[number], count) for number, count in enumerate(expired) if count]
    notes += [_without_rule(suppression) for suppression in suppressions if not _is_of_a_rule(suppression.rule)]
    return kept, hidden, tuple(notes)


def without_known(
    reported: Sequence[ReportedFinding], baseline: LintResult, engine: AnalyzedEngine
) -> tuple[list[ReportedFinding], list[tuple[ReportedFinding, str]]]:
    """(new findings, (known finding, reason)). A finding is known when the rule reports all its main layers, by name
    and occurrence, as main layers in the baseline too, no less severely; without layers, when it reports the same but
    for numbers.
    """
    before = AnalyzedEngine(baseline.performance)
    known_of: dict[tuple[str, Severity], set[str | tuple[str, int]]] = {}
    for finding in (*baseline.findings, *baseline.suppressed):
        for severity in Severity:
            if severity <= finding.severity:
                known_of.setdefault((finding.rule, severity), set()).update(_subjects(finding, before))
    new: list[ReportedFinding] = []
    known: list[tuple[ReportedFinding, str]] = []
    for item in reported:
        rule, _, reported_now = item
        if _subjects(reported_now, engine) <= known_of.get((rule, severity_of(item)), set()):
            known.append((item, f"also in the baseline {baseline.engine_name}"))
        else:
            new.append(item)
    return new, known


def _subjects(finding: Finding, engine: AnalyzedEngine) -> set[str | tuple[str, int]]:
    """What a finding is about, in any engine: (name, occurrence) of its main layers, else its message."""
    positions = map(engine.position_of.get, finding.main_layers or finding.layers)
    layers = [engine.layers[position] for position in positions if position is not None]
    return {(layer.name, layer.occurrence) for layer in layers} or {_without_numbers(finding.message)}


def _without_numbers(message: str) -> str:
    return _NUMBER.sub("#", message)


def _without(finding: Finding, left_out: Set[int], reasons: str) -> Finding:
    """The finding at its other layers."""
    number = len(left_out)
    words = f"{number} of {counted(len(finding.layers), 'layer')} {'is' if number == 1 else 'are'} suppressed"
    return replace(
        finding,
        message=f"{finding.message}; {words}: {reasons}",
        layers=tuple(index for index in finding.layers if index not in left_out),
        main_layers=tuple(index for index in finding.main_layers if index not in left_out),
        savings={index: ms for index, ms in finding.savings.items() if index not in left_out},
    )


class _Cover:
    """Which layers of a finding are covered; patterns are compiled once and each layer's name is matched once."""

    def __init__(self, suppression: Suppression, engine: AnalyzedEngine) -> None:
        self.rule, self.engine = suppression.rule, engine
        self.is_of_all = "*" in suppression.layers
        self.is_named = matcher(suppression.layers)
        self.known: dict[int, bool] = {}

    def __call__(self, item: ReportedFinding) -> tuple[int, ...] | None:
        """Indexes of the covered layers; None if the finding is not covered at all."""
        name, rule, finding = item
        if not matches(self.rule, name, rule):
            return None
        if self.is_of_all:
            return finding.layers
        return tuple(filter(self._is_covered, finding.layers)) or None

    def _is_covered(self, index: int) -> bool:
        answer = self.known.get(index)
        if answer is None:
            position = self.engine.position_of.get(index)
            name = "" if position is None else self.engine.layers[position].name
            answer = self.known[index] = self.is_named(name)
        return answer


def _is_over(suppression: Suppression, today: date) -> bool:
    return suppression.expires is not None and today > suppression.expires


def _is_of_a_rule(pattern: str) -> bool:
    return any(matches(pattern, plug.name, plug.value) for plug in RULES.values())


def _expired(suppression: Suppression, number: int) -> Note:
    return Note(
        "suppression-expired",
        f"the suppression of {suppression.rule} ({suppression.reason}) expired on {suppression.expires}: "
        f"{counted(number, 'finding is', 'findings are')} reported again",
        "fix the finding, or set a later date",
        suppression.where,
    )


def _without_rule(suppression: Suppression) -> Note:
    hint = "trex rules lists the rules"
    return Note("suppression-without-rule", f"no rule is called {suppression.rule!r}", hint, suppression.where)
