"""LintResult → sentences and groups of findings, for every reader to show."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

from trex.core.counted import counted
from trex.core.printable import clipped
from trex.rules.finding import Evidence, Severity, Unchecked
from trex.rules.lint_result import FailedRule, LintResult, RankedFinding
from trex.rules.rule import RULES
from trex.views.table import UNKNOWN_TEXT, byte_size, milliseconds

LARGE_PCT = 1.0
FIRST, LARGE, SMALL, COUNTED, UNKNOWN = (
    "First: these limit what all other numbers are worth",
    f"Savings of {LARGE_PCT:g} % and more",
    "Smaller savings",
    "Savings counted above",
    "Savings unknown",
)
GROUPS = (FIRST, LARGE, SMALL, COUNTED, UNKNOWN)
_MAX_NAME_LENGTH = 40


def group_of(finding: RankedFinding) -> str:
    """One of ``GROUPS``."""
    if finding.is_first:
        return FIRST
    if finding.savings_alone_ms is None or finding.savings_ms is None:
        return UNKNOWN
    if finding.savings_ms <= 0:
        return COUNTED if finding.savings_alone_ms > 0 else UNKNOWN
    return LARGE if finding.share_pct is not None and finding.share_pct >= LARGE_PCT else SMALL


def statements(result: LintResult) -> tuple[str, ...]:
    """What was found and what it costs, in sentences."""
    sentences = [_counts(result)]
    if result.total_ms is None:
        sentences.append("There are no layer times, so savings are unknown. With a layer profile, findings are ranked.")
    elif result.findings and result.savings_ms is not None:
        share = 100 * result.savings_ms / result.total_ms
        sentences.append(
            f"Estimated savings: likely {milliseconds(result.likely_savings_ms)} ms, at most "
            f"{milliseconds(result.savings_ms)} of {milliseconds(result.total_ms)} ms ({share:.1f} %); the time of a "
            "layer counts once."
        )
    settings = settings_text(result)
    return (*sentences, settings) if settings else tuple(sentences)


def _counts(result: LintResult) -> str:
    ran = f"{counted(len(result.rules), 'rule')} ran"
    if not result.findings:
        return f"No findings: {ran}."
    numbers = Counter(finding.severity for finding in result.findings)
    words = ", ".join(counted(numbers[kind], kind.word) for kind in sorted(Severity, reverse=True) if numbers[kind])
    hidden = f"; {len(result.suppressed)} more suppressed" if result.suppressed else ""
    return f"{counted(len(result.findings), 'finding')}: {words}{hidden}; {ran}."


def settings_text(result: LintResult) -> str:
    """What the user's configuration changed; "" without one."""
    if not result.settings_file:
        return ""
    left_out = len(RULES) - len(result.rules)
    changes = [f"{counted(left_out, 'rule')} left out"] if left_out else []
    if result.settings.limits:
        changes.append(f"limits of {', '.join(sorted(result.settings.limits))}")
    if result.settings.suppressions:
        changes.append(counted(len(result.settings.suppressions), "suppression"))
    return f"Settings of {result.settings_file} apply{': ' if changes else ''}{', '.join(changes)}."


def similar_text(finding: RankedFinding, most: int = 0) -> str:
    """``37 similar: a, b and 35 more``, at most so many names; "" for a finding that is not folded."""
    names = [clipped(other.layer_names[0], _MAX_NAME_LENGTH) for other in finding.similar if other.layer_names]
    listed = f": {few(names, most)}" if names and most else ""
    return f"… and {len(finding.similar):,} similar{listed}" if finding.similar else ""


def unchecked_text(unchecked: Unchecked) -> str:
    """What a rule can't check, in one line."""
    of = f" ({counted(len(unchecked.layers), 'layer')})" if unchecked.layers else ""
    hint = f"; {unchecked.hint}" if unchecked.hint else ""
    return f"{unchecked.code}: {unchecked.reason}{of}{hint}"


def failed_text(failed: FailedRule) -> str:
    return f"the rule {failed.rule} ({failed.code}) failed: {failed.error}"


def evidence_text(evidence: Evidence) -> str:
    """``what: value unit``, the value as people read it."""
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
    """The first names, and how many more there are."""
    listed = list(names)
    more = f" and {len(listed) - most:,} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more
