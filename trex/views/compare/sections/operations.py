"""Operations: what each operation of the ONNX model and each module costs on both sides."""

from __future__ import annotations

from trex.compare.operation_times import has_operations
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import OperationRow
from trex.views.compare.operation_tables import operations_section
from trex.views.document import Detail, Section, SectionPlug


def make(comparison: PlanDiff, detail: Detail) -> Section | None:
    operations = [
        OperationRow(change.name, change.kind, change.module, (change.left, change.right))
        for change in comparison.operations
        if not change.is_view
    ]
    if not operations or comparison.withheld:
        return None
    modules = {
        module.name: (module.left_ms, module.right_ms) if module.is_known else (None, None)
        for module in comparison.modules
    }
    times = (comparison.left_operation_times, comparison.right_operation_times)
    return operations_section(("base", "new"), times, operations, modules, detail.top)


def applies(comparison: PlanDiff) -> bool:
    return not comparison.withheld and any(map(has_operations, (comparison.left, comparison.right)))


SECTION = SectionPlug("Operations", 50, make, is_folded=True, applies=applies)
