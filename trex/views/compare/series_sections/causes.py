"""Causes: the difference of every engine from the base as steps that add up to it, side by side."""

from __future__ import annotations

from trex.compare.series import EngineSeries
from trex.compare.waterfall import COMPUTE
from trex.core.signed import signed
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.table import Table, TableColumn

_LEAST = 5e-7


def make(series: EngineSeries, detail: Detail) -> Section | None:
    if len(series.comparisons) < 2:
        return None  # two engines have their own sections
    falls = [comparison.waterfall for comparison in series.comparisons]
    known = [index for index, fall in enumerate(falls) if fall.is_known and index not in series.withheld]
    withheld = [f"{series.labels[index + 1]}: {why} No causes follow." for index, why in series.withheld.items()]
    unknown = [
        f"{series.labels[index + 1]}: can't tell where its difference comes from: {fall.reason}."
        for index, fall in enumerate(falls)
        if not fall.is_known and index not in series.withheld
    ]
    if not known:
        return section(
            statements=(*unknown, *withheld)
            if withheld
            else ("Can't tell where the differences come from: no layer times.",)
        )
    names = [series.labels[index + 1] for index in known]
    rows = [
        (cause, *(cell for index in known for cell in (values[index], _bar(values[index]))))
        for cause, values in series.steps
        if any(abs(values[index]) > _LEAST for index in known)
    ]
    rows.append(("total", *(cell for index in known for cell in (falls[index].difference_ms, None))))
    columns = [TableColumn("cause")]
    for name in names:
        columns += [TableColumn(name, "ms", "ms"), TableColumn("change", "bar")]
    texts = [f"{name} {signed(falls[index].difference_ms, 4)} ms" for name, index in zip(names, known, strict=True)]
    words = [
        f"{series.labels[index + 1]}: compares sums of layer times: {falls[index].reason}."
        for index in known
        if falls[index].basis != COMPUTE and falls[index].reason
    ]
    return section(
        statements=(f"{', '.join(texts)} (minus is faster than the base).", *words, *unknown, *withheld),
        tables=(Table("From the base to each engine (new − base)", tuple(columns), tuple(rows)),),
    )


def _bar(ms: float) -> float | None:
    return ms if abs(ms) > _LEAST else None


SECTION = SectionPlug("Why", 30, make)
