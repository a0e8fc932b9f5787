"""Parity: whether both engines were measured with equal settings, and what each difference means."""

from __future__ import annotations

from trex.compare.machine_shift import FEWEST_KERNELS
from trex.compare.parity import Parity
from trex.compare.plan_diff import PlanDiff
from trex.compare.run_settings import SettingSeverity
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.table import Table, TableColumn

COLUMNS = (
    TableColumn("setting"),
    TableColumn("base"),
    TableColumn("new"),
    TableColumn("severity"),
    TableColumn("what it means"),
)


def make(comparison: PlanDiff, detail: Detail) -> Section | None:
    parity = comparison.parity
    unknown = parity.of(SettingSeverity.UNKNOWN)
    statements = [parity.sentence]
    prediction = comparison.prediction
    if prediction is not None and prediction.is_mixed:
        statements.insert(0, f"{prediction.origin[:1].upper()}{prediction.origin[1:]}.")
    if unknown:
        statements.append(f"Not recorded for both: {', '.join(setting.name for setting in unknown)}.")
    if parity.machine is not None:
        statements.append(f"Speed of the machines: {parity.machine.words}.")
    elif prediction is None and comparison.left.is_profiled and comparison.right.is_profiled:
        statements.append(f"Can't check that the machines are equally fast: fewer than {FEWEST_KERNELS} kernels match.")
    rows = differences_of(parity, detail)
    return section(
        statements=tuple(statements),
        tables=(Table("Different settings", COLUMNS, rows),) if rows else (),
        derivations=(("matching settings", "; ".join(parity.matching)),) if detail.explain and parity.matching else (),
        data={"is_alike": parity.is_comparable},
    )


def differences_of(parity: Parity, detail: Detail) -> tuple[tuple[str | None, ...], ...]:
    """Rows of ``COLUMNS``: settings that differ; explained, also those that one side alone records."""
    return tuple(
        (difference.name, difference.left, difference.right, difference.severity.value, difference.meaning)
        for difference in parity.differences
        if difference.severity is not SettingSeverity.UNKNOWN
        or (detail.explain and (difference.left or difference.right))
    )


SECTION = SectionPlug("Settings", 20, make, is_folded=True)
