"""HTML: one offline page: verdict, waterfall, tables, and both engines' graphs side by side with matched layers.

One file, to open in any browser of 2023 or later and to send to anyone; it needs no server.

- Both graphs are colored by change: slower, faster, new, gone, unchanged; a click into the legend shows only these.
  Another color, chosen in one graph, is chosen in both.
- A click on a layer marks its match in the other graph and brings it into view, and a panel tells what was, what is and
  why; charts and the table of all layer groups select the same.
- Keys as in the page of ``trex report``: ``j`` and ``k`` go from part to part, ``/`` filters, ``d`` changes dark and
  light, ``?`` explains, Escape selects nothing.

What the page may do, and what of plotly is in it, is told in the documentation of ``trex report -o report.html``.
Without plotly the page has no charts, and says which extra brings them. Of more than two engines, one chooses which
stands beside the base.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from trex.compare.plan_diff import PlanDiff
from trex.core.errors import TrexError
from trex.export.comparison import ComparisonFormat, ComparisonStyle, pairs_of
from trex.export.diagram import Drawing
from trex.export.figures.look import Look
from trex.export.frame import json_text, plain_value
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
_WIDTHS |= {"base_kernels": 300, "new_kernels": 300}
_NO_COLUMNS: dict[str, object] = {"columns": [], "shown": 0, "noun": "layer groups"}


def render(reading: ComparisonReading, style: ComparisonStyle) -> bytes:
    """The page, the same for the same comparison."""
    figures: dict[str, Figure] = {}
    seats = _Seats(style.look, figures)
    several = len(reading.comparisons) > 1
    only = None if several or not reading.comparisons else reading.comparisons[0]
    parts = []
    for name, title, content in sorted(reading.sections, key=lambda each: each[0] != "verdict"):
        charts = [*seats.of_reading(reading, name), *([] if only is None else seats.of_pair(only, name))]
        parts.append((name, title, "".join(_part(content, charts))))
    for at, pair in enumerate(pairs_of(reading)):
        parts.append((f"pair-{at}", pair.title, "".join(_told(pair, seats, at))))
    return _page(reading, parts, figures)


def graphs_page(reading: ComparisonReading) -> bytes:
    """Only the verdict, both graphs and the table of layer groups: for a notebook's cell, which keeps what it shows."""
    verdict = next((content for name, _, content in reading.sections if name == "verdict"), Content())
    said = "".join(f'<p class="statement">{text(statement)}</p>\n' for statement in verdict.statements[:1])
    return _page(reading, [], {}, said)


def _page(
    reading: ComparisonReading, parts: list[tuple[str, str, str]], figures: dict[str, Figure], said: str = ""
) -> bytes:
    """The parts, and behind them both graphs and the table of layer groups. said: above the graphs, as HTML."""
    names = list(reading.news) or [reading.right]
    named = [(name, each) for name, each in zip(names, reading.comparisons, strict=True) if each.changes]
    if named:
        graphs = said + "".join(_beside(reading.left, [name for name, _ in named]))
        parts = [*parts, ("side-by-side", "Side by side", graphs)]
        parts.append(("all-groups", "All layer groups", table_seat("Layer groups", "difference>0.01")))
    packed: dict[str, str] = {}
    for at, (new, each) in enumerate(named):
        made = _packed(each, at, (reading.left, new))
        packed |= {f"{name}-{at}" if at else name: content for name, content in made.items()}
    return OfflinePage(
        title=reading.title,
        badges=[reading.statement] if reading.statement else [],
        parts=parts or [("side-by-side", "Side by side", said)],
        figures=figures,
        table=_table(named[0][1]) if named else _NO_COLUMNS,
        packed=packed,
        scripts=_SCRIPTS,
        styles=("page", "pair"),
        links={f"pair-{at}": f"→ {label}" for at, label in enumerate(reading.labels)},
    ).render()


class _Seats:
    """Charts → HTML of their seats; figures: filled with what is to be drawn there."""

    def __init__(self, look: Look, figures: dict[str, Figure]) -> None:
        self.look, self.figures = look, figures

    def of_pair(self, comparison: PlanDiff, section: str, ending: str = "") -> Iterator[str]:
        """Charts of one section, of all with ""; with an ending to their names their marks select nothing."""
        for plug in sorted(CHARTS.values(), key=lambda each: each.value.order):
            if section in ("", plug.value.section):
                plot = plug.value.make(comparison)
                plot = replace(plot, layers=()) if ending and isinstance(plot, Plot) else plot
                yield self._seat(f"{plug.name}{ending}", plug.value.title, explanation(plug), plot)

    def of_reading(self, reading: ComparisonReading, section: str) -> Iterator[str]:
        for at, (where, plot) in enumerate(reading.plots):
            if where == section:
                yield self._seat(f"plot-{at}", plot.title, "", plot)

    def _seat(self, name: str, title: str, why: str, plot: Plot | Empty) -> str:
        """Without plotly, what brings it: everything else is told all the same."""
        shown = plot
        try:
            plotly_script()
        except TrexError as error:
            shown = Empty(error.message, error.hint)
        figure = self.figures[name] = figure_for_page(shown, self.look)
        return chart_html(name, title, why, getattr(shown, "note", ""), figure)


def _part(content: Content, charts: Sequence[str]) -> Iterator[str]:
    """Sentences and facts, then charts, then tables."""
    yield from content_html(replace(content, tables=(), derivations=(), notes=()))
    if charts:
        yield f'<div class="charts">\n{"".join(charts)}</div>\n'
    yield from content_html(replace(content, statements=(), facts=()))


def _told(pair: ComparisonReading, seats: _Seats, at: int) -> Iterator[str]:
    """One of several engines against the base: the verdict, charts, and every section folded away."""
    for _, _, content in pair.sections[:1]:
        yield from (f'<p class="statement">{text(statement)}</p>\n' for statement in content.statements)
    charts = [seat for each in pair.comparisons for seat in seats.of_pair(each, "", f"-{at}")]
    yield f'<div class="charts">\n{"".join(charts)}</div>\n'
    for _, title, content in pair.sections:
        told = "".join(content_html(content))
        yield f"<details><summary>{text(title)}</summary>\n{told}</details>\n"


def _beside(base: str, names: Sequence[str]) -> Iterator[str]:
    yield '<p class="lead">A click on a layer marks what does the same work in the other engine.</p>\n'
    if len(names) > 1:
        options = "".join(f'<option value="{at}">{text(name)}</option>' for at, name in enumerate(names))
        yield f'<label>{text(base)} against <select id="choose">{options}</select></label>\n'
    yield '<div id="pair">\n'
    for side in _SIDES:
        yield f'<div class="side" id="side-{side}" role="group" aria-label="Graph of the {side} engine"></div>\n'
    yield '</div>\n<button type="button" id="larger" aria-pressed="false">Larger</button>\n'


def _packed(comparison: PlanDiff, at: int, names: tuple[str, str]) -> dict[str, str]:
    """The pages of both graphs under these names, and which of their layers correspond; the first's table is packed
    elsewhere.
    """
    found = {"data-layers": json_text(plain_value(_table(comparison)))} if at else {}
    for side, name, plan in zip(_SIDES, names, (comparison.left, comparison.right), strict=True):
        drawing = Drawing(plan, DiagramStyle()).page
        scene = replace(drawing.scene, title=f"{side.capitalize()}: {name}")
        coloring = change_coloring(comparison, is_base=side == "base")
        found[f"data-{side}"] = render_html(scene, drawing.graph, plan, {NAME: coloring}, is_beside=True)
    left, right = comparison.left.layers, comparison.right.layers
    groups = [
        [[left[place].index for place in change.match.left], [right[place].index for place in change.match.right]]
        for change in comparison.changes
    ]
    return {**found, "data-pairs": json_text(groups)}


def _table(comparison: PlanDiff) -> dict[str, object]:
    columns = [
        {**page_column(each.name, each.unit, each.meaning, each.values), "width": _WIDTHS.get(each.name, 0)}
        for each in group_columns(comparison)
    ]
    return {"columns": columns, "shown": FIRST, "noun": "layer groups"}


FORMAT = ComparisonFormat((".html", ".htm"), render, is_text=False)
