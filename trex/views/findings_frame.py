"""Ranked findings → DataFrame: one row per finding, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trex.rules.lint_result import RankedFinding
from trex.views.findings import evidence_text

if TYPE_CHECKING:
    import pandas as pd

_TYPES = {
    "code": "object",
    "rule": "object",
    "severity": "object",
    "confidence": "float64",
    "likely_savings_ms": "float64",
    "savings_ms": "float64",
    "savings_alone_ms": "float64",
    "savings_pct": "float64",
    "message": "object",
    "layers": "object",
    "layer.index": "object",
    "tensors": "object",
    "evidence": "object",
    "fix": "object",
    "how_to_check": "object",
    "documentation": "object",
    "formula": "object",
    "suppressed": "object",
}
COLUMNS = tuple(_TYPES)


def findings_frame(findings: Sequence[RankedFinding]) -> pd.DataFrame:
    """Columns of ``COLUMNS``; milliseconds and percent are NaN if unknown, several of a kind are lists."""
    import pandas as pd

    rows = [_row(finding) for finding in findings]
    columns = {
        name: pd.Series([row[number] for row in rows], dtype=dtype)  # type: ignore[call-overload]
        for number, (name, dtype) in enumerate(_TYPES.items())
    }
    return pd.DataFrame(columns)


def _row(finding: RankedFinding) -> tuple[object, ...]:
    return (
        finding.code,
        finding.rule,
        finding.severity.word,
        finding.confidence,
        finding.likely_savings_ms,
        finding.savings_ms,
        finding.savings_alone_ms,
        finding.share_pct,
        finding.message,
        list(finding.layer_names),
        list(finding.layers),
        list(finding.tensors),
        [evidence_text(item) for item in finding.evidence],
        list(finding.fix),
        finding.how_to_check,
        list(finding.documentation),
        finding.formula,
        finding.suppressed,
    )
