"""Operations: what each operation of the ONNX model and each module costs in every engine."""

from __future__ import annotations

from dataclasses import replace

from trex.compare.series import EngineSeries
from trex.views.compare.operation_tables import operations_section
from trex.views.document import Detail, Section, SectionPlug


def make(series: EngineSeries, detail: Detail) -> Section | None:
    if len(series.comparisons) < 2:
        return None  # two engines have their own sections
    kept = [0, *(index for index in range(1, len(series.plans)) if index - 1 not in series.withheld)]
    if len(kept) == 1:
        return None
    rows = (replace(row, times=tuple(row.times[index] for index in kept)) for row in series.operations)
    modules = {name: tuple(ms[index] for index in kept) for name, ms in series.module_ms.items()}
    return operations_section(
        [series.labels[index] for index in kept],
        [series.operation_times[index] for index in kept],
        [row for row in rows if any(row.times)],
        {name: ms for name, ms in modules.items() if any(time is not None for time in ms)},
        detail.top,
        [f"{series.labels[index + 1]} is left out. {why}" for index, why in series.withheld.items()],
    )


SECTION = SectionPlug("Operations", 40, make, is_folded=True)
