"""Review → DataFrame: one row per finding, in the order of their cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trex.rules.lint import Review
from trex.views.review.reading import Told, evidence_text, read_review

if TYPE_CHECKING:
    import pandas as pd

_TYPES = {
    "code": "object",
    "rule": "object",
    "severity": "object",
    "confidence": "float64",
    "counted_ms": "float64",
    "by_itself_ms": "float64",
    "time_pct": "float64",
    "message": "object",
    "layers": "object",
    "layer.index": "object",
    "tensors": "object",
    "evidence": "object",
    "advice": "object",
    "documentation": "object",
    "proof": "object",
    "formula": "object",
    "suppressed": "object",
}
COLUMNS = tuple(_TYPES)


def review_frame(review: Review, with_suppressed: bool = False) -> pd.DataFrame:
    """Columns of ``COLUMNS``; milliseconds and percent are NaN where unknown, several of a kind are lists."""
    reading = read_review(review)
    return findings_frame((*reading.findings, *reading.suppressed) if with_suppressed else reading.findings)


def findings_frame(findings: tuple[Told, ...]) -> pd.DataFrame:
    import pandas as pd

    rows = [_row(each) for each in findings]
    columns = {
        name: pd.Series([row[place] for row in rows], dtype=dtype)  # type: ignore[call-overload]
        for place, (name, dtype) in enumerate(_TYPES.items())
    }
    return pd.DataFrame(columns)


def _row(told: Told) -> tuple[object, ...]:
    return (
        told.code,
        told.rule,
        told.severity.word,
        told.confidence,
        told.counted_ms,
        told.by_itself_ms,
        told.share_pct,
        told.message,
        list(told.layers),
        list(told.indexes),
        list(told.tensors),
        [evidence_text(each) for each in told.evidence],
        list(told.advice),
        list(told.documentation),
        told.proof,
        told.formula,
        told.suppressed,
    )
