"""Review → ReviewReading: findings in words and numbers, in the order of their cost, for every reader to show."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from trex.core.counted import counted
from trex.core.note import Note
from trex.rules.finding import Evidence, Severity
from trex.rules.lint import Priced, Review
from trex.rules.rule import RULES
from trex.views.rule_page import rule_sections
from trex.views.table import UNKNOWN_TEXT, byte_size, milliseconds

SCHEMA = "trex.lint/1"
DEAR_PCT = 1.0
FIRST, DEAR, CHEAP, SHARED, UNPRICED = (
    "First: what limits these numbers",
    f"Costs {DEAR_PCT:g} % of the engine's time and more",
    "Costs less",
    "Costs time that is counted above",
    "Without a price",
)
GROUPS = (FIRST, DEAR, CHEAP, SHARED, UNPRICED)


@dataclass(frozen=True, slots=True)
class Told:
    """One finding. counted_ms: its part of the total, by_itself_ms: without the others; None where it has no price.

    share_pct: counted_ms of the engine's time. layers: names, the main one first. evidence: (what, value in words).
    why: what the rule's page says under Why it matters. alike: others of its kind, where these are told as one; the
    milliseconds and shares are then of all.
    """

    code: str
    rule: str
    title: str
    severity: Severity
    message: str
    counted_ms: float | None
    by_itself_ms: float | None
    share_pct: float | None
    layers: tuple[str, ...]
    indexes: tuple[int, ...]
    tensors: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    advice: tuple[str, ...]
    documentation: tuple[str, ...]
    proof: str
    formula: str
    confidence: float
    why: str = ""
    does_not_apply: str = ""
    is_first: bool = False
    suppressed: str = ""
    alike: tuple[Told, ...] = ()

    @property
    def group(self) -> str:
        """Where it stands when findings are grouped by cost."""
        if self.is_first:
            return FIRST
        if self.by_itself_ms is None or self.counted_ms is None:
            return UNPRICED
        if self.counted_ms <= 0:
            return SHARED if self.by_itself_ms > 0 else UNPRICED
        return DEAR if self.share_pct is not None and self.share_pct >= DEAR_PCT else CHEAP

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; units stand in the keys, what is unknown is None."""
        return {
            "code": self.code,
            "rule": self.rule,
            "title": self.title,
            "severity": self.severity.word,
            "confidence": self.confidence,
            "message": self.message,
            "counted_ms": self.counted_ms,
            "by_itself_ms": self.by_itself_ms,
            "time_pct": self.share_pct,
            "layers": [{"index": index, "name": name} for index, name in zip(self.indexes, self.layers)],
            "tensors": list(self.tensors),
            "evidence": [{"what": each.what, "value": each.value, "unit": each.unit} for each in self.evidence],
            "advice": list(self.advice),
            "documentation": list(self.documentation),
            "proof": self.proof,
            "formula": self.formula,
            "limits_the_measurement": self.is_first,
            "suppressed": self.suppressed or None,
        }


@dataclass(frozen=True, slots=True)
class Unknown:
    """What a rule cannot tell, for the same reason, of how many layers; 0: of the engine."""

    code: str
    rule: str
    reason: str
    hint: str
    layers: int


@dataclass(frozen=True, slots=True)
class ReviewReading:
    """title: the engine's name. statement: what must be said first, or empty. source: its file.

    total_ms, at_stake_ms: None where nothing was timed. rules: {name: code} of those that ran. settings: what the
    user's configuration changed, in a sentence; "" without one.
    """

    title: str
    statement: str
    device: str
    source: str
    total_ms: float | None
    at_stake_ms: float | None
    findings: tuple[Told, ...]
    suppressed: tuple[Told, ...]
    unknown: tuple[Unknown, ...]
    failed: tuple[tuple[str, str, str], ...]
    notes: tuple[Note, ...]
    rules: Mapping[str, str]
    settings: str = ""

    @property
    def folder(self) -> str:
        return os.path.dirname(self.source.partition("!")[0])  # noqa: PTH120 (an address)

    @property
    def statements(self) -> tuple[str, ...]:
        """What is found and what it costs, in sentences."""
        told = [self._counts()]
        if self.total_ms is None:
            told.append("Nothing was timed: findings have no price. With a layer profile they are ranked by cost.")
        elif self.findings and self.at_stake_ms is not None:
            share = 100 * self.at_stake_ms / self.total_ms
            told.append(
                f"At stake: at most {milliseconds(self.at_stake_ms)} of {milliseconds(self.total_ms)} ms "
                f"({share:.1f} %); these are upper bounds, and the time of a layer counts once."
            )
        if self.settings:
            told.append(self.settings)
        return tuple(told)

    def _counts(self) -> str:
        ran = f"{counted(len(self.rules), 'rule')} ran"
        if not self.findings:
            return f"Nothing found: {ran}."
        numbers = Counter(each.severity for each in self.findings)
        words = ", ".join(counted(numbers[each], each.word) for each in sorted(Severity, reverse=True) if numbers[each])
        hidden = f"; {len(self.suppressed)} more suppressed" if self.suppressed else ""
        return f"{counted(len(self.findings), 'finding')}: {words}{hidden}; {ran}."

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready data with a versioned schema."""
        return {
            "schema": SCHEMA,
            "engine": self.title,
            "statement": self.statement,
            "settings": self.settings or None,
            "device": self.device or None,
            "total_ms": self.total_ms,
            "at_stake_ms": self.at_stake_ms,
            "findings": [each.as_dict() for each in self.findings],
            "suppressed": [each.as_dict() for each in self.suppressed],
            "cannot_tell": [
                {"code": e.code, "rule": e.rule, "reason": e.reason, "hint": e.hint, "layers": e.layers}
                for e in self.unknown
            ],
            "failed_rules": [{"code": code, "rule": rule, "error": error} for rule, code, error in self.failed],
            "notes": [
                {"code": n.code, "severity": n.severity, "message": n.message, "hint": n.hint, "where": n.where}
                for n in self.notes
            ],
            "rules": [{"code": code, "rule": rule} for rule, code in self.rules.items()],
        }


def read_review(review: Review) -> ReviewReading:
    """The review with layers by name and prices in milliseconds and percent."""
    performance = review.performance
    plan, device = performance.plan, performance.device
    total = review.total_ms if review.total_ms > 0 and math.isfinite(review.total_ms) else None
    names = {layer.index: layer.name for layer in plan.layers}
    pages: dict[str, dict[str, str]] = {}

    def told(priced: Priced) -> Told:
        if priced.rule not in pages:
            pages[priced.rule] = rule_sections(RULES[priced.rule].doc) if priced.rule in RULES else {}
        return _told(priced, names, total, pages[priced.rule])

    return ReviewReading(
        title=plan.name,
        statement=plan.provenance.statement,
        device="" if device is None else device.name,
        source=plan.engine.source,
        total_ms=total,
        at_stake_ms=None if total is None else review.at_stake_ms,
        findings=tuple(map(told, review.findings)),
        suppressed=tuple(map(told, review.suppressed)),
        unknown=_unknown(review),
        failed=tuple((each.rule, each.code, each.error) for each in review.failed),
        notes=review.notes,
        rules={name: RULES[name].value.code for name in review.rules},
        settings=_settings(review),
    )


def _settings(review: Review) -> str:
    choice = review.choice
    if not choice.settings:
        return ""
    left_out = len(RULES) - len(review.rules)
    changed = [f"{counted(left_out, 'rule')} left out"] if left_out else []
    if choice.limits:
        changed.append(f"limits of {', '.join(sorted(choice.limits))}")
    if choice.suppressions:
        changed.append(counted(len(choice.suppressions), "suppression"))
    return f"Settings of {choice.settings} apply{': ' if changed else ''}{', '.join(changed)}."


def _told(priced: Priced, names: Mapping[int, str], total: float | None, page: Mapping[str, str]) -> Told:
    finding = priced.finding
    is_priced = total is not None and bool(finding.at_stake)
    indexes = tuple(index for index in finding.layers if index in names)
    return Told(
        code=priced.code,
        rule=priced.rule,
        title=priced.title,
        severity=priced.severity,
        message=finding.message,
        counted_ms=priced.counted_ms if is_priced else None,
        by_itself_ms=finding.at_stake_ms if is_priced else None,
        share_pct=100 * priced.counted_ms / total if is_priced and total is not None else None,
        layers=tuple(names[index] for index in indexes),
        indexes=indexes,
        tensors=finding.tensors,
        evidence=finding.evidence,
        advice=finding.advice,
        documentation=finding.documentation,
        proof=finding.proof,
        formula=finding.formula,
        confidence=finding.confidence,
        why=page.get("Why it matters", ""),
        does_not_apply=page.get("Does not apply", ""),
        is_first=priced.is_first,
        suppressed=priced.suppressed,
    )


def _unknown(review: Review) -> tuple[Unknown, ...]:
    """What cannot be told, the same reasons of one rule together."""
    layers: dict[tuple[str, str, str, str], int] = {}
    for each in review.unanswered:
        key = (each.code, each.rule, each.answer.reason, each.answer.hint)
        layers[key] = layers.get(key, 0) + len(each.answer.layers)
    return tuple(Unknown(*key, number) for key, number in layers.items())


def evidence_text(evidence: Evidence) -> str:
    """``what value unit``, the value as people read it."""
    return f"{evidence.what}: {value_text(evidence.value, evidence.unit)}"


def value_text(value: Any, unit: str = "") -> str:
    """A value of evidence with its unit; an unknown one is a dash."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return UNKNOWN_TEXT
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"{value} {unit}".rstrip()
    if unit == "bytes":
        return byte_size(value)
    if unit == "ms":
        return f"{milliseconds(value)} ms"
    text = f"{value:,}" if isinstance(value, int) else f"{value:.1f}" if unit in ("%", "pct") else f"{value:,.4g}"
    return f"{text} {'%' if unit == 'pct' else unit}".rstrip()


def few(names: Iterable[str], most: int = 3) -> str:
    """The first names, and how many there are more."""
    listed = list(names)
    more = f" and {len(listed) - most:,} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more
