"""Comparison or Series → Document: what ``trex compare`` shows of two or more engines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from trex.compare.comparison import Comparison
from trex.compare.engine_facts import unique_names
from trex.compare.gate import Judged
from trex.compare.series import Kind, Series
from trex.core.provenance import Provenance
from trex.core.registry import Registry
from trex.plan.engine_plan import EnginePlan
from trex.views.comparison.chart import CHARTS
from trex.views.comparison.coloring import NAME, change_coloring
from trex.views.comparison.groups import FIRST, groups_table
from trex.views.comparison.scaling_plot import SCALING
from trex.views.diagram.scene_view import SceneView, scene_view
from trex.views.document import (
    Detail,
    Document,
    SceneBlock,
    Section,
    TableBlock,
    section,
    sections_of,
)
from trex.views.table import Table, TableColumn

SECTIONS = Registry("trex.views.comparison.sections", "SECTION")
SERIES_SECTIONS = Registry("trex.views.comparison.series_sections", "SECTION", "comparison-series-sections")


@dataclass(frozen=True, slots=True)
class Compared:
    """What a comparison's document was made from. names: the base's, then one per comparison. judged: the gate's."""

    names: tuple[str, ...]
    comparisons: tuple[Comparison, ...]
    judged: tuple[Judged, ...] = ()


def comparison_document(
    comparison: Comparison, detail: Detail | None = None, judged: Sequence[Judged] = ()
) -> Document:
    """Two engines: verdict, settings, causes, largest changes, gate; charts, both graphs and all matched layers."""
    names = unique_names((comparison.left, comparison.right))
    return _document(
        Compared(tuple(names), (comparison,), tuple(judged)),
        (*_pair(comparison, detail or Detail()), *_gate(judged), *_graphs(comparison, names)),
        _statement(list(zip(("base", "new"), (comparison.left, comparison.right), strict=True))),
    )


def series_document(series: Series, detail: Detail | None = None, judged: Sequence[Judged] = ()) -> Document:
    """One base and others side by side, then each pair with the base; of two engines their comparison and scaling."""
    detail = detail or Detail()
    shared = tuple(_with_scaling(part, series) for part in sections_of(SERIES_SECTIONS, series, detail))
    if len(series.comparisons) == 1:
        document = comparison_document(series.comparisons[0], detail, judged)
        return replace(document, sections=(*document.sections, *shared))
    pairs = (
        replace(part, name=f"{label}-{part.name}", title=f"{name}: {part.title}", is_folded=True)
        for name, label, comparison in zip(
            series.names[1:], _labels(len(series.comparisons)), series.comparisons, strict=True
        )
        for part in (*_pair(comparison, detail), *_graphs(comparison, (series.names[0], name)))
    )
    return _document(
        Compared(tuple(series.names), tuple(series.comparisons), tuple(judged)),
        (*shared, *_gate(judged), *pairs),
        _statement(list(zip(series.names, series.plans, strict=True))),
    )


def _document(compared: Compared, sections: tuple[Section, ...], statement: str) -> Document:
    base, *others = compared.names
    return Document("compare", f"{base} → {', '.join(others)}", statement, sections, source=compared)


def _labels(count: int) -> list[str]:
    """Short names of pairs, for addresses: pair-1, pair-2 …"""
    return [f"pair-{number}" for number in range(1, count + 1)]


def _pair(comparison: Comparison, detail: Detail) -> Iterator[Section]:
    """The sections of two engines, each with its charts after its sentences."""
    for part in sections_of(SECTIONS, comparison, detail):
        charts = (chart.block(comparison) for chart in CHARTS.values() if chart.group == part.name)
        yield replace(part, blocks=(*part.blocks, *charts))


def _with_scaling(part: Section, series: Series) -> Section:
    if part.name != "scaling" or series.kind is not Kind.BATCH:
        return part
    return replace(part, blocks=(*part.blocks, SCALING.block(series)))


def _graphs(comparison: Comparison, names: Sequence[str]) -> Iterator[Section]:
    """Both graphs side by side, and all matched layers to sort and filter."""
    if not comparison.changes:
        return

    def views() -> tuple[SceneView, ...]:
        sides = (("Base", comparison.left, True), ("New", comparison.right, False))
        return tuple(
            scene_view(plan, None, f"{side}: {name}", {NAME: change_coloring(comparison, is_base=is_base)})
            for (side, plan, is_base), name in zip(sides, names, strict=True)
        )

    def matches() -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        left, right = comparison.left.layers, comparison.right.layers
        return tuple(
            (
                tuple(left[position].index for position in change.match.left),
                tuple(right[position].index for position in change.match.right),
            )
            for change in comparison.changes
        )

    scenes = SceneBlock("side-by-side", "Side by side", views, matches)
    table = TableBlock(
        "matched-layers", "All matched layers", lambda: groups_table(comparison), "groups of layers", FIRST,
        "difference>0.01",
    )  # fmt: skip
    yield Section("graphs", "Side by side", (scenes,), is_folded=True)
    yield Section("matched-layers", "All matched layers", (table,), is_folded=True)


def _statement(engines: Sequence[tuple[str, EnginePlan]]) -> str:
    """Which engines were predicted instead of measured; empty when none was."""
    statements = []
    for provenance in Provenance:
        names = [name for name, plan in engines if plan.provenance is provenance]
        if names and provenance.statement:
            which = "" if len(names) == len(engines) else f" ({', '.join(names)})"
            statements.append(f"{provenance.statement}{which}")
    return "; ".join(statements)


def _gate(judged: Sequence[Judged]) -> tuple[Section, ...]:
    if not judged:
        return ()
    failed = sum(result.judgment.value == "failed" for result in judged)
    unknown = sum(result.judgment.value == "cannot tell" for result in judged)
    rows = tuple((result.condition.text, result.judgment.value, result.words) for result in judged)
    columns = (TableColumn("condition"), TableColumn("result"), TableColumn("why"))
    data = [
        {
            "engine": result.engine,
            "condition": result.condition.text,
            "result": result.judgment.value,
            "subject": result.subject,
            "why": result.words,
        }
        for result in judged
    ]
    statement = f"Gate: {failed} failed, {unknown} inconclusive, {len(judged) - failed - unknown} passed."
    table = Table("Conditions", columns, rows, "conditions")
    return (section(name="gate", title="Gate", statements=(statement,), tables=(table,), data={"gate": data}),)
