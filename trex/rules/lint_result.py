"""LintResult: ranked findings, what could not be checked, and the estimated savings in total."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trex.core.configuration import LintSettings
from trex.core.note import Note
from trex.perf.performance import Performance
from trex.perf.prices import LAYERS
from trex.rules.finding import Finding, Severity, Unchecked

NAME_CHARS = 1000
"""Longest name in a finding: many findings may concern one layer, which its index identifies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedFinding(Finding):
    """A finding as ranked in a LintResult.

    rule: the plug's name. savings_ms: estimated savings at most, without the time that earlier findings count at the
    same layers; savings_alone_ms: at most, if nothing else is fixed; likely_savings_ms: confidence × savings_ms;
    share_pct: savings_ms in percent of the engine's time. All are None if unknown, and of the kind of time that the
    result names, as are ``savings``. layer_names: as ``layers``, clipped as ``tensors`` are to ``NAME_CHARS``. why,
    does_not_apply: from the rule's documentation. suppressed: the reason, "" for none. similar: findings that differ in
    names and numbers alone, where they are folded into this one; its milliseconds and shares are then of all.
    """

    code: str
    rule: str
    title: str
    severity: Severity
    savings_ms: float | None
    savings_alone_ms: float | None
    likely_savings_ms: float | None
    share_pct: float | None
    layer_names: tuple[str, ...]
    why: str = ""
    does_not_apply: str = ""
    suppressed: str = ""
    similar: tuple[RankedFinding, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; units are in the keys, unknown is None."""
        return {
            "code": self.code,
            "rule": self.rule,
            "title": self.title,
            "severity": self.severity.word,
            "confidence": self.confidence,
            "message": self.message,
            "likely_savings_ms": self.likely_savings_ms,
            "savings_ms": self.savings_ms,
            "savings_alone_ms": self.savings_alone_ms,
            "savings_pct": self.share_pct,
            "layers": [{"index": index, "name": name} for index, name in zip(self.layers, self.layer_names)],
            "tensors": list(self.tensors),
            "evidence": [{"what": item.what, "value": item.value, "unit": item.unit} for item in self.evidence],
            "fix": list(self.fix),
            "how_to_check": self.how_to_check,
            "documentation": list(self.documentation),
            "formula": self.formula,
            "is_first": self.is_first,
            "suppressed": self.suppressed or None,
        }


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """state: the name of the state that the engine is in. text: one to three sentences: whether the measurement can be
    trusted, the state, what to do. is_healthy: nothing in the engine is worth a warning, and nothing speaks
    against the measurement. first: the text's last sentence if it is the fix of a finding, else "".
    """

    state: str
    text: str
    is_healthy: bool
    first: str = ""

    @property
    def without_fix(self) -> str:
        """The text for where the findings and their fixes follow."""
        return self.text.removesuffix(self.first).rstrip()


@dataclass(frozen=True, slots=True)
class FailedRule:
    """A rule that raised, or of a package that cannot be loaded; the others went on. error: type and message. code: the
    rule's name if it is unknown.
    """

    rule: str
    code: str
    error: str


@dataclass(frozen=True, slots=True)
class LintResult:
    """findings: those with ``is_first``, then by likely savings (or, without, the time they are about), severity and
    confidence.

    total_ms: GPU compute time, or the sum of the layers' times if it is unknown; total_kind: which of the two, in
    words. savings_ms: at most, of all findings together, never more than total_ms; likely_savings_ms: sum of the
    findings' likely savings. All are None without layer times. rules: {name: code} of the rules that ran. suppressed:
    findings that are left out, each with the reason; no total contains them. notes: on suppressions that no longer
    hold, and on a baseline of another GPU. settings: those that applied; settings_file: name of their file, "" for
    none. diagnosis: None without layers, and where rules were left out: the absence of their findings means nothing.
    """

    performance: Performance
    findings: tuple[RankedFinding, ...]
    unchecked: tuple[Unchecked, ...]
    failed: tuple[FailedRule, ...]
    total_ms: float | None
    savings_ms: float | None
    rules: Mapping[str, str]
    total_kind: str = LAYERS
    suppressed: tuple[RankedFinding, ...] = ()
    notes: tuple[Note, ...] = ()
    settings: LintSettings = field(default_factory=LintSettings)
    settings_file: str = ""
    diagnosis: Diagnosis | None = None

    @property
    def engine_name(self) -> str:
        return self.performance.plan.name

    @property
    def source(self) -> str:
        """The engine's file."""
        return self.performance.plan.engine.source

    @property
    def statements(self) -> tuple[str, ...]:
        """What must come first (the engine is simulated), and which of several optimization profiles it is."""
        return tuple(filter(None, (self.statement, self.performance.plan.profile_words)))

    @property
    def statement(self) -> str:
        """What must come first (the engine is simulated), or ""."""
        return self.performance.plan.statement

    @property
    def device_name(self) -> str:
        return "" if self.performance.device is None else self.performance.device.name

    @property
    def likely_savings_ms(self) -> float | None:
        if self.savings_ms is None:
            return None
        return sum(finding.likely_savings_ms or 0.0 for finding in self.findings)
