"""Parity: which of the engines were not measured as the base was."""

from __future__ import annotations

from trex.compare.run_settings import SettingSeverity
from trex.compare.series import EngineSeries
from trex.views.compare.sections.parity import COLUMNS, differences_of
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.table import Table, TableColumn


def make(series: EngineSeries, detail: Detail) -> Section | None:
    if len(series.comparisons) < 2:
        return None  # two engines have their own sections
    rows, unlike, unsure = [], [], []
    for name, comparison in zip(series.labels[1:], series.comparisons, strict=True):
        parity = comparison.parity
        grave = [item.name for item in parity.of(SettingSeverity.CRITICAL) if item.name not in series.expected]
        if grave:
            unlike.append(f"{name} ({', '.join(grave)})")
        elif parity.refusals and parity.is_comparable is None:
            unsure.append(f"{name} ({', '.join(refusal.name for refusal in parity.refusals)} unknown)")
        rows += [(name, *row) for row in differences_of(parity, detail)]
    statements = []
    if unlike:
        statements.append(f"Settings differ from the base: {'; '.join(unlike)}. This affects the times.")
    if unsure:
        statements.append(f"Can't check that these are comparable to the base: {'; '.join(unsure)}.")
    if not statements:
        statements.append(f"All recorded settings match the base{_but(series)}.")
    if untold := _untold(series):
        statements.append(f"Not recorded for all: {', '.join(untold)}.")
    table = Table("Different settings", (TableColumn("engine", "name"), *COLUMNS), tuple(rows), is_folded=True)
    return section(statements=tuple(statements), tables=(table,) if rows else ())


def _untold(series: EngineSeries) -> dict[str, None]:
    """Settings that are unknown for the base or one of the others: unknown is not equal."""
    return {item.name: None for pair in series.comparisons for item in pair.parity.of(SettingSeverity.UNKNOWN)}


def _but(series: EngineSeries) -> str:
    return f", except for the {series.kind.value} that the series varies" if series.expected else ""


SECTION = SectionPlug("Settings", 20, make)
