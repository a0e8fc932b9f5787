"""Parity: whether both engines were measured alike, and what each unlikeness means."""

from __future__ import annotations

from trex.compare.comparison import Comparison
from trex.compare.run_facts import Weight
from trex.core.counted import counted
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.table import Table, TableColumn


def make(comparison: Comparison, detail: Detail) -> Section | None:
    parity = comparison.parity
    grave = parity.of(Weight.GRAVE)
    unknown = parity.of(Weight.UNKNOWN)
    statements = []
    prediction = comparison.prediction
    if prediction is not None and prediction.is_mixed:
        statements.append(f"{prediction.unlike[:1].upper()}{prediction.unlike[1:]}.")
    runs = "The predicted runs" if prediction is not None and not prediction.is_mixed else "The runs"
    if grave:
        statements.append(
            f"{runs} are not alike: {', '.join(each.what for each in grave)}. The times tell of that, too."
        )
    elif parity.is_alike is None:
        names = ", ".join(each.what for each in parity.refusals)
        statements.append(f"Whether the runs are alike cannot be told: {names} unknown.")
    else:
        statements.append(f"{runs} are alike in the {counted(len(parity.alike), 'fact')} that both sides tell.")
    if unknown:
        statements.append(f"Not told by both sides: {', '.join(each.what for each in unknown)}.")
    columns = (
        TableColumn("fact"),
        TableColumn("base"),
        TableColumn("new"),
        TableColumn("weight"),
        TableColumn("what it means"),
    )
    rows = tuple(
        (each.what, each.left, each.right, each.weight.value, each.meaning)
        for each in parity.differences
        if each.weight is not Weight.UNKNOWN or (detail.explain and (each.left or each.right))
    )
    return section(
        statements=tuple(statements),
        tables=(Table("Unlike", columns, rows),) if rows else (),
        derivations=(("alike", "; ".join(parity.alike)),) if detail.explain and parity.alike else (),
        data={
            "is_alike": parity.is_alike,
            "alike": list(parity.alike),
            "differences": [
                {
                    "what": each.what,
                    "base": each.left,
                    "new": each.right,
                    "weight": each.weight.value,
                    "meaning": each.meaning,
                }
                for each in parity.differences
            ],
        },
    )


SECTION = SectionPlug("Parity", 20, make, is_folded=True)
