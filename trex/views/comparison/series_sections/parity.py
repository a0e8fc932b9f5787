"""Parity: which of the engines were not measured as the base was."""

from __future__ import annotations

from trex.compare.run_facts import Weight
from trex.compare.series import Series
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.table import Table, TableColumn

_COLUMNS = (
    TableColumn("engine"),
    TableColumn("fact"),
    TableColumn("base"),
    TableColumn("engine's"),
    TableColumn("weight"),
    TableColumn("what it means"),
)


def make(series: Series, detail: Detail) -> Section | None:
    if len(series.comparisons) < 2:
        return None  # two engines have their own sections
    rows, unlike, unsure = [], [], []
    for name, comparison in zip(series.labels[1:], series.comparisons, strict=True):
        parity = comparison.parity
        grave = [each.what for each in parity.of(Weight.GRAVE) if each.what not in series.expected]
        if grave:
            unlike.append(f"{name} ({', '.join(grave)})")
        elif parity.refusals and parity.is_alike is None:
            unsure.append(f"{name} ({', '.join(each.what for each in parity.refusals)} unknown)")
        rows += [
            (name, each.what, each.left, each.right, each.weight.value, each.meaning)
            for each in parity.differences
            if each.weight is not Weight.UNKNOWN or (detail.explain and (each.left or each.right))
        ]
    statements = []
    if unlike:
        statements.append(f"Not measured like the base: {'; '.join(unlike)}. The times tell of that, too.")
    if unsure:
        statements.append(f"Whether these were measured like the base cannot be told: {'; '.join(unsure)}.")
    if not statements:
        statements.append(f"All were measured like the base in the facts that both tell{_but(series)}.")
    if untold := _untold(series):
        statements.append(f"Not told by all: {', '.join(untold)}.")
    return section(
        statements=tuple(statements),
        tables=(Table("Unlike", _COLUMNS, tuple(rows)),) if rows else (),
        data={
            "engines": [
                {
                    "name": name,
                    "is_alike": each.parity.is_alike,
                    "grave": [d.what for d in each.parity.of(Weight.GRAVE)],
                }
                for name, each in zip(series.names[1:], series.comparisons, strict=True)
            ]
        },
    )


def _untold(series: Series) -> dict[str, None]:
    """Facts that the base or one of the others does not tell, which is not "alike"."""
    return {each.what: None for pair in series.comparisons for each in pair.parity.of(Weight.UNKNOWN)}


def _but(series: Series) -> str:
    return f", but for the {series.kind.value} that the series is over" if series.expected else ""


SECTION = SectionPlug("Parity", 20, make, is_folded=True)
