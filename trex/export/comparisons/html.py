"""HTML: one offline page: verdict, waterfall, tables, and both engines' graphs side by side with matched layers.

One file, to open in any browser of 2023 or later and to send to anyone; it needs no server.

- Both graphs are coloured by change: slower, faster, new, gone, unchanged; a click into the legend shows only these.
  Another colour, chosen in one graph, is chosen in both.
- A click on a layer marks its match in the other graph and brings it into view, and a panel tells what was, what is and
  why; charts and the table of all layer groups select the same.
- Keys as in the page of ``trex report``: ``j`` and ``k`` go from part to part, ``/`` filters, ``d`` changes dark and
  light, ``?`` explains, Escape selects nothing.

What the page may do, and what of plotly is in it, is told in the documentation of ``trex report -o report.html``.
Without plotly the page has no charts, and says which extra brings them. Of more than two engines, the graphs are those
of the base and the first of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trex.compare.comparison import Comparison
from trex.core.errors import TrexError
from trex.core.registry import Plug
from trex.export.comparison import ComparisonFormat, ComparisonStyle
from trex.export.diagram import Drawing
from trex.export.frame import json_text
from trex.export.html import render_html
from trex.export.offline_page import Figure, OfflinePage, chart_html, figure_for_page, plotly_script, table_seat
from trex.export.page_content import content_html, text
from trex.export.page_layers import page_column
from trex.views.comparison.chart import CHARTS
from trex.views.comparison.coloring import NAME, change_coloring
from trex.views.comparison.groups import FIRST, group_columns
from trex.views.comparison.reading import ComparisonReading
from trex.views.diagram.style import DiagramStyle
from trex.views.performance.section import Content
from trex.views.plot import Empty, Plot
from trex.views.report.assembly import explanation

_SCRIPTS = ("unpack", "hub", "theme", "charts", "layers", "pair_panel", "pair", "glossary", "keys", "main")
_SIDES = ("base", "new")
_WIDTHS = {"words": 300, "cause": 210, "base_layers": 300, "new_layers": 300, "base_tactics": 300, "new_tactics": 300}
_NO_COLUMNS: dict[str, object] = {"columns": [], "shown": 0, "noun": "layer groups"}


def render(reading: ComparisonReading, style: ComparisonStyle) -> bytes:
    """The page, the same for the same comparison."""
    first = reading.comparisons[0] if reading.comparisons else None
    plugs = sorted(CHARTS.values(), key=lambda plug: plug.value.order) if first is not None else []
    plots = {plug.name: _drawn(plug.value.make(first)) for plug in plugs}
    figures = {name: figure_for_page(plot, style.look) for name, plot in plots.items()}
    parts = []
    for name, title, content in sorted(reading.sections, key=lambda each: each[0] != "verdict"):
        charts = [plug for plug in plugs if plug.value.section == name]
        parts.append((name, title, "".join(_part(content, charts, plots, figures))))
    packed: dict[str, str] = {}
    if first is not None and first.changes:
        parts.append(("side-by-side", "Side by side", "".join(_pair(reading, first))))
        parts.append(("all-groups", "All layer groups", table_seat("Layer groups", "difference>0.01")))
        packed = _packed(first)
    return OfflinePage(
        title=reading.title,
        badges=[reading.statement] if reading.statement else [],
        parts=parts,
        figures=figures,
        table=_table(first) if packed and first is not None else _NO_COLUMNS,
        packed=packed,
        scripts=_SCRIPTS,
        styles=("page", "pair"),
    ).render()


def _drawn(plot: Plot | Empty) -> Plot | Empty:
    """The chart, or what brings charts where plotly is absent: everything else is told all the same."""
    try:
        plotly_script()
    except TrexError as error:
        return Empty(error.message, error.hint)
    return plot


def _part(
    content: Content, charts: list[Plug], plots: dict[str, Plot | Empty], figures: dict[str, Figure]
) -> Iterator[str]:
    tables, rest = replace(content, tables=(), derivations=(), notes=()), replace(content, statements=(), facts=())
    yield from content_html(tables)
    if charts:
        yield '<div class="charts">\n'
        for plug in charts:
            note = getattr(plots[plug.name], "note", "")
            yield chart_html(plug.name, plug.value.title, explanation(plug), note, figures[plug.name])
        yield "</div>\n"
    yield from content_html(rest)


def _pair(reading: ComparisonReading, first: Comparison) -> Iterator[str]:
    yield '<p class="lead">A click on a layer marks what does the same work in the other engine.</p>\n'
    others = len(reading.comparisons) - 1
    if others > 0:
        yield f'<p class="lead">Of {others + 2} engines, these are {text(first.left.name)} and {text(first.right.name)}'
        yield ": compare the base with another one alone to see that.</p>\n"
    yield '<div id="pair">\n'
    for side, plan in zip(_SIDES, (first.left, first.right), strict=True):
        label = text(f"Graph of the {side} engine, {plan.name}")
        yield f'<div class="side" id="side-{side}" role="group" aria-label="{label}"></div>\n'
    yield '</div>\n<button type="button" id="larger" aria-pressed="false">Larger</button>\n'


def _packed(comparison: Comparison) -> dict[str, str]:
    """The pages of both graphs, and which of their layers correspond."""
    found = {}
    for side, plan in zip(_SIDES, (comparison.left, comparison.right), strict=True):
        drawing = Drawing(plan, DiagramStyle()).page
        scene = replace(drawing.scene, title=f"{side.capitalize()}: {plan.name}")
        coloring = change_coloring(comparison, is_base=side == "base")
        found[f"data-{side}"] = render_html(scene, drawing.graph, plan, {NAME: coloring}, is_beside=True)
    left, right = comparison.left.layers, comparison.right.layers
    groups = [
        [[left[place].index for place in change.match.left], [right[place].index for place in change.match.right]]
        for change in comparison.changes
    ]
    return {**found, "data-pairs": json_text(groups)}


def _table(comparison: Comparison) -> dict[str, object]:
    columns = [
        {**page_column(each.name, each.unit, each.meaning, each.values), "width": _WIDTHS.get(each.name, 0)}
        for each in group_columns(comparison)
    ]
    return {"columns": columns, "shown": FIRST, "noun": "layer groups"}


FORMAT = ComparisonFormat((".html", ".htm"), render, is_text=False)
