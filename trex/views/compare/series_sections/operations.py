"""Operations: what each operation of the ONNX model and each module costs in every engine."""

from __future__ import annotations

from trex.compare.series import EngineSeries
from trex.views.compare.operation_tables import operations_section
from trex.views.document import Detail, Section, SectionPlug


def make(series: EngineSeries, detail: Detail) -> Section | None:
    if len(series.comparisons) < 2:
        return None  # two engines have their own sections
    return operations_section(series.labels, series.operation_times, series.operations, series.module_ms, detail.top)


SECTION = SectionPlug("Operations", 40, make, is_folded=True)
