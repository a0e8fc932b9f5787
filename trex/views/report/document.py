"""EnginePlan → Document: the report card: the answer, findings, graph, layers, charts by subject, facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from trex.core.layer import REFORMATS
from trex.perf.device import Device
from trex.plan.engine_plan import EnginePlan
from trex.rules.plan_lint import ConfigurationSource
from trex.views.chart import Subject, charts_of
from trex.views.diagram.scene_view import scene_view
from trex.views.document import (
    Block,
    Detail,
    Document,
    Facts,
    SceneBlock,
    Section,
    TableBlock,
    Text,
    sections_of,
)
from trex.views.lint import diagnosis_text, headline, lint_section
from trex.views.perf.document import SECTIONS
from trex.views.perf.sections.roofline import bound_shares
from trex.views.report.build_blocks import build_blocks
from trex.views.report.certainty import certainty_section
from trex.views.report.layer_table import SHOWN, TIME, layer_table
from trex.views.summary import summary_document

_DETAIL = Detail(top=10, explain=True)
OVERVIEW = "Overview"
ABOUT = "About"


@dataclass(frozen=True, slots=True)
class ReportPart:
    """One section of the report. tab: of the page that has it. sections: of ``trex perf``, one after the other.

    charts: groups of charts. blocks: more of it, from the subject; sentences come first.
    """

    name: str
    title: str
    tab: str
    sections: tuple[str, ...] = ()
    charts: tuple[str, ...] = ()
    blocks: Callable[[Subject], Iterable[Block]] | None = None


PARTS = (
    ReportPart("performance", "Performance", "Time", charts=("performance",)),
    ReportPart("time", "Time", "Time", ("time", "reconciliation"), ("time",)),
    ReportPart("reformats", "Reformats", "Time", charts=("reformats",)),
    ReportPart("roofline", "Roofline", "Roofline", ("device", "roofline", "work"), ("roofline",)),
    ReportPart("convolutions", "Convolutions", "Roofline", charts=("convolutions",)),
    ReportPart("gemms", "GEMMs", "Roofline", charts=("gemms", "efficiency")),
    ReportPart("memory", "Memory", "Memory", ("memory",), ("memory",)),
    ReportPart("build", "Build", "Build", charts=("build",), blocks=build_blocks),
    ReportPart("tactics", "Tactics", "Build", ("tactics",)),
)


def report_document(
    plan: EnginePlan, device: Device | None = None, top: int = 10, configuration: ConfigurationSource = None
) -> Document:
    """Everything trex knows about a plan. device: the GPU, None for the one that the engine's files name.

    top: how many of the slowest layers the summary lists. configuration: settings of lint; no file is searched.
    Charts, the graph and the table of layers are computed when a renderer asks for them.
    """
    subject = Subject.of_plan(plan, device, configuration)
    summary = summary_document(plan, top, subject.lint.result if subject.lint else None)
    return replace(
        summary,
        command="report",
        sections=(
            *_answer(subject, summary),
            *_findings(subject),
            *_graph(subject),
            *_layers(subject),
            *(part for part in map(partial(_section, subject), PARTS) if part.blocks or part.notes),
            replace(summary.section("details"), title="Engine", tab=ABOUT),
        ),
        source=subject,
    )


def _answer(subject: Subject, summary: Document) -> Iterator[Section]:
    """What everybody reads: how fast, why, where time goes; what to do; how sure that is, and what is missing."""
    parts = (_headline(subject, summary), _bounds(subject), summary.section("types").blocks)
    yield Section("summary", "Summary", (*chain.from_iterable(parts), *summary.section("time").blocks))
    if subject.lint is not None:
        nothing = (Text((f"{headline(subject.lint.result)}.".capitalize(),)),)
        yield Section("todo", "What to do", summary.section("findings").blocks or nothing, tab=OVERVIEW)
    if subject.performance is not None:
        yield certainty_section(subject.performance, subject.lint.result if subject.lint else None, OVERVIEW)
    if slowest := summary.section("slowest").blocks:
        yield Section("slowest", "Slowest layers", slowest, tab=OVERVIEW)


def _headline(subject: Subject, summary: Document) -> tuple[Block, ...]:
    """The summary's first sentence and the diagnosis; the first says so where nothing was measured."""
    first = summary.section("headline").blocks[0]
    plan = subject.plan
    if isinstance(first, Text) and plan is not None and not plan.is_profiled and " ms" not in first.lines[0]:
        first = Text((f"Not measured, {first.lines[0][0].lower()}{first.lines[0][1:]}",))
    return (first, *diagnosis_text(subject.lint.result if subject.lint else None))


def _bounds(subject: Subject) -> Iterator[Text]:
    """What the layers' time is bound by, the largest share first."""
    if subject.performance is None:
        return
    shares = bound_shares(subject.performance.roofline)
    if shares:
        known = {bound.value: share for bound, share in sorted(shares.items(), key=lambda item: -item[1])}
        named = {**known, "unknown": 100 - sum(known.values())}
        words = ", ".join(f"{name} {share:.0f} %" for name, share in named.items() if share >= 1)
        yield Text((f"Bound by: {words} of the time.",))


def _section(subject: Subject, part: ReportPart) -> Section:
    names = [name for name in part.sections if name in SECTIONS.known_names]
    sections = sections_of(SECTIONS, subject.performance, _DETAIL, names) if subject.performance and names else ()
    groups = [group for group in part.charts if not _is_about_nothing(group, subject)]
    charts = tuple(chart.block(subject) for group in groups for chart in charts_of(group))
    blocks = tuple(part.blocks(subject)) if part.blocks else ()
    sentences = tuple(block for block in blocks if isinstance(block, Text))
    others = tuple(block for block in blocks if not isinstance(block, Text))
    return Section(
        part.name,
        part.title,
        (*_merged(sections), *sentences, *charts, *others),
        tuple(chain.from_iterable(section.notes for section in sections)),
        {key: value for section in sections for key, value in section.data.items()},
        is_folded=True,
        tab=part.tab,
    )


def _is_about_nothing(group: str, subject: Subject) -> bool:
    """Whether all charts of the group would say that the engine has no such layers, or no such times."""
    if group == "time":
        return subject.performance is not None and subject.performance.is_bare_prediction
    if group == "convolutions":
        return subject.convolutions.empty
    if group == "build":
        return subject.build is None
    layers = () if subject.plan is None else subject.plan.working_layers
    return group == "reformats" and not any({layer.type, layer.subtype} & REFORMATS for layer in layers)


def _merged(sections: tuple[Section, ...]) -> tuple[Block, ...]:
    """The blocks of several sections, those of one kind together."""
    return tuple(sorted(chain.from_iterable(section.blocks for section in sections), key=_order))


def _order(block: Block) -> int:
    """Sentences, facts, tables, how figures are computed."""
    if isinstance(block, Text):
        return 0
    if isinstance(block, Facts):
        return 3 if block.is_folded else 1
    return 2


def _findings(subject: Subject) -> tuple[Section, ...]:
    if subject.lint is None:
        return ()
    result = subject.lint.result
    section = lint_section(result)
    blocks = section.blocks[len(diagnosis_text(result)) :]  # the summary begins with it
    return (replace(section, title="Findings", blocks=(Text((headline(result),)), *blocks), tab="Findings"),)


def _graph(subject: Subject) -> tuple[Section, ...]:
    plan = subject.plan
    if plan is None or not plan.working_layers:
        return ()
    block = SceneBlock("graph", "Engine graph", lambda: (scene_view(plan, subject.lint),))
    return (Section("graph", "Graph", (block,), tab="Graph"),)


def _layers(subject: Subject) -> tuple[Section, ...]:
    if subject.plan is None or not subject.plan.working_layers:
        return ()
    block = TableBlock(
        "layers",
        "All layers",
        lambda: layer_table(subject),
        "layers",
        SHOWN,
        "time>0.05",
        sort=TIME if subject.plan.is_profiled else "",
    )
    return (Section("layers", "Layers", (block,), is_folded=True, tab="Layers"),)
