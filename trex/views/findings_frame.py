"""Ranked findings → a table for programs and a DataFrame: one row per finding, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trex.rules.lint_result import RankedFinding
from trex.views.findings import evidence_text
from trex.views.table import Table, TableColumn

if TYPE_CHECKING:
    import pandas as pd

_NUMBERS = ("confidence", "likely_savings_ms", "savings_ms", "savings_alone_ms", "savings_pct")
COLUMNS = (
    *("code", "rule", "severity", *_NUMBERS, "message", "layers", "layer.index", "tensors", "evidence", "fix"),
    *("how_to_check", "documentation", "formula", "suppressed"),
)


def finding_records(findings: Sequence[RankedFinding]) -> Table:
    """Columns of ``COLUMNS``; several of a kind are lists."""
    columns = (TableColumn(name, "number" if name in _NUMBERS else "text", identifier=name) for name in COLUMNS)
    return Table("", tuple(columns), tuple(map(_row, findings)), "findings")


def findings_frame(findings: Sequence[RankedFinding]) -> pd.DataFrame:
    """The same as a DataFrame; unknown milliseconds and percent are NaN."""
    import pandas as pd

    rows = [_row(finding) for finding in findings]
    columns = {
        name: pd.Series([row[number] for row in rows], dtype="float64" if name in _NUMBERS else "object")
        for number, name in enumerate(COLUMNS)
    }
    result: pd.DataFrame = pd.DataFrame(columns)
    return result


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
