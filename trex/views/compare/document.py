"""PlanDiff or EngineSeries → Document: what ``trex compare`` shows of two or more engines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from trex.compare.engine_facts import unique_names
from trex.compare.gate import GateResult, GateStatus
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries
from trex.core.registry import Registry
from trex.core.steps import in_steps
from trex.plan.engine_plan import EnginePlan
from trex.views.compare.chart import CHARTS
from trex.views.compare.coloring import NAME, change_coloring
from trex.views.compare.groups import SHOWN, groups_table
from trex.views.diagram.scene_view import SceneView, scene_view
from trex.views.document import (
    Detail,
    Document,
    SceneBlock,
    Section,
    SectionPlug,
    TableBlock,
    Text,
    folder_of,
    section,
    sections_of,
)
from trex.views.table import Table, TableColumn, json_key

SECTIONS = Registry("trex.views.compare.sections", "SECTION", kind=SectionPlug)
SERIES_SECTIONS = Registry(
    "trex.views.compare.series_sections", "SECTION", "comparison-series-sections", kind=SectionPlug
)

_GATE = "gate"


@dataclass(frozen=True, slots=True)
class Compared:
    """What a comparison's document was made from. names: the base's, then one per comparison. judged: the gate's."""

    names: tuple[str, ...]
    comparisons: tuple[PlanDiff, ...]
    judged: tuple[GateResult, ...] = ()


def comparison_document(
    comparison: PlanDiff, detail: Detail | None = None, judged: Sequence[GateResult] = ()
) -> Document:
    """Two engines: verdict, settings, causes, largest changes, gate; charts, both graphs and all matched layers."""
    names = unique_names((comparison.left, comparison.right))
    return _document(
        Compared(tuple(names), (comparison,), tuple(judged)),
        (*_with_gate(_pair(comparison, detail or Detail()), judged), *_graphs([comparison], names)),
        _statement(list(zip(("base", "new"), (comparison.left, comparison.right), strict=True))),
    )


def series_document(series: EngineSeries, detail: Detail | None = None, judged: Sequence[GateResult] = ()) -> Document:
    """One base and others side by side; of two engines their comparison, scaling and best of each."""
    detail = detail or Detail()
    shared = sections_of(SERIES_SECTIONS, series, detail)
    if len(series.comparisons) == 1:
        document = comparison_document(series.comparisons[0], detail, judged)
        return replace(document, sections=(*document.sections, *shared))
    return _document(
        Compared(tuple(series.names), tuple(series.comparisons), tuple(judged)),
        (*_with_gate(shared, judged), *_graphs(series.comparisons, series.names)),
        _statement(list(zip(series.names, series.plans, strict=True))),
    )


def first_sentences(document: Document) -> list[tuple[str, str]]:
    """(title, first sentence) of the sections, after the statement."""
    lines = [("Data", document.statement)] if document.statement else []
    for part in document.sections:
        first = part.data.get("summary") or next(iter(part.statements), "")
        if first:
            lines.append((part.title, first))
    return lines


def on_one_screen(document: Document) -> Document:
    """The document for a terminal: without folded sections, which are named at the end, and with the gate last."""
    first, *others = document.sections
    shown = [replace(first, title=""), *(part for part in others if not part.is_folded and part.name != _GATE)]
    folded = [part for part in document.sections if part.is_folded and part.blocks]
    titles = ", ".join(part.title.lower() for part in folded if not isinstance(part.blocks[0], SceneBlock | TableBlock))
    more = (Section("more", "", (Text((f"Also: {titles}: add -v",), "hint"),)),) if titles else ()
    gate = (part for part in document.sections if part.name == _GATE)
    return replace(document, sections=(*shown, *more, *gate))


def _document(compared: Compared, sections: tuple[Section, ...], statement: str) -> Document:
    base, *others = compared.names
    document = Document("compare", f"{base} → {', '.join(others)}", statement, sections, source=compared)
    plans = {plan.engine.source: None for pair in compared.comparisons for plan in (pair.left, pair.right)}
    for source in plans:  # addresses keep the engine's own folder, which distinguishes it from the others
        document = document.seen_from(folder_of(folder_of(source)))
    return document


def _pair(comparison: PlanDiff, detail: Detail) -> Iterator[Section]:
    """The sections of two engines, each with its charts."""
    for part in sections_of(SECTIONS, comparison, detail):
        charts = (
            replace(chart.block(comparison), repeats=True) for chart in CHARTS.values() if chart.group == part.name
        )
        yield replace(part, blocks=(*part.blocks, *charts))


def _graphs(comparisons: Sequence[PlanDiff], names: Sequence[str]) -> Iterator[Section]:
    """Both graphs side by side, and all matched layers to sort and filter, of each pair that has layers.

    names: of the base and of each new engine.
    """
    base, *others = names
    is_one = len(others) == 1
    pairs = [(name, comparison) for name, comparison in zip(others, comparisons, strict=True) if comparison.changes]
    if not pairs:
        return
    scenes = (
        SceneBlock(
            "side-by-side",
            "Side by side" if is_one else f"{base} → {name}",
            partial(_scenes, comparison, base, name),
            partial(_matches, comparison),
        )
        for name, comparison in pairs
    )
    tables = (
        TableBlock(
            "matched-layers" if is_one else f"matched-layers-{name}",
            "All matched layers" if is_one else f"Matched layers of {name}",
            partial(_matched_layers, comparison, "" if is_one else name),
            "groups of layers",
            SHOWN,
            "difference>0.01",
        )
        for name, comparison in pairs
    )
    yield Section("side-by-side", "Side by side", tuple(scenes), is_folded=True)
    yield Section("matched-layers", "All matched layers", tuple(tables), is_folded=True)


def _scenes(comparison: PlanDiff, base: str, new: str) -> tuple[SceneView, ...]:
    sides = ((f"Base: {base}", comparison.left, True), (f"New: {new}", comparison.right, False))
    return tuple(
        scene_view(plan, None, title, {NAME: change_coloring(comparison, is_base=is_base)})
        for title, plan, is_base in in_steps("graph", sides)
    )


def _matches(comparison: PlanDiff) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    left, right = comparison.left.working_layers, comparison.right.working_layers
    return tuple(
        (
            tuple(left[position].index for position in change.match.left),
            tuple(right[position].index for position in change.match.right),
        )
        for change in comparison.changes
    )


def _matched_layers(comparison: PlanDiff, name: str) -> Table:
    table = groups_table(comparison)
    if not name:
        return table
    return replace(table, title=f"Matched layers of {name}", key=json_key(f"matched-layers-{name}"))


def _statement(engines: Sequence[tuple[str, EnginePlan]]) -> str:
    """Which engines were predicted instead of measured; empty when none was."""
    statements = []
    for statement in dict.fromkeys(plan.statement for _, plan in engines if plan.statement):
        names = [name for name, plan in engines if plan.statement == statement]
        which = "" if len(names) == len(engines) else f" ({', '.join(names)})"
        statements.append(f"{statement}{which}")
    return "; ".join(statements)


def _with_gate(sections: Iterable[Section], judged: Sequence[GateResult]) -> tuple[Section, ...]:
    """The gate follows the verdict."""
    first, *others = sections
    return (first, *_gate(judged), *others)


def _gate(judged: Sequence[GateResult]) -> tuple[Section, ...]:
    if not judged:
        return ()
    failed = sum(result.status is GateStatus.FAILED for result in judged)
    unknown = sum(result.status is GateStatus.INCONCLUSIVE for result in judged)
    rows = tuple((result.condition.text, result.status.value, result.words) for result in judged)
    columns = (TableColumn("condition"), TableColumn("result"), TableColumn("why"))
    data = [
        {
            "engine": result.engine,
            "condition": result.condition.text,
            "result": result.status.value,
            "subject": result.subject,
            "why": result.words,
        }
        for result in judged
    ]
    statement = f"{failed} failed, {unknown} inconclusive, {len(judged) - failed - unknown} passed."
    table = Table("", columns, rows, "conditions")
    return (section(name=_GATE, title="Gate", statements=(statement,), tables=(table,), data={"gate": data}),)
