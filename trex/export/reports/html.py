"""HTML: one offline page with charts, graph and layers that select one another; it asks nothing of any network.

One file, to open in any browser of 2023 or later and to send to anyone; it needs no server.

- A click on a bar, a point, a box of the graph or a row selects that layer everywhere, and a panel tells all of it.
- The table of layers holds every layer: sort by a heading, filter by words or by ``latency.avg_time>0.05``, choose the
  columns, take them away as CSV.
- "Metrics" explains every figure and every chart. Dark or light follows the system until one chooses.
- Keys: ``j`` and ``k`` go from part to part, ``/`` filters, ``d`` changes dark and light, ``?`` explains, Escape
  selects nothing, arrows walk through the table. In the graph its own keys hold, which its ``?`` lists.
- "Print", or Ctrl P, draws all charts first; paper and PDF leave out the graph and the table of layers.

Its content security policy forbids every request. The script of the charts is that of the installed plotly package,
packed into the page; it makes functions from text for drawing in space, which is why the policy allows ``unsafe-eval``:
nothing from an engine is ever made into code or markup. plotly.js is Copyright Plotly, Inc., under the MIT license: its
notice stays at the head of the packed script, and the license's text stands at the end of the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.export.diagram import Drawing
from trex.export.html import render_html
from trex.export.offline_page import Figure, OfflinePage, chart_html, figure_for_page, table_seat
from trex.export.page_content import content_html, facts_html, notes_html, table_html
from trex.export.page_layers import layers_data
from trex.export.report import ReportFormat, ReportStyle
from trex.views.diagram.style import DiagramStyle
from trex.views.plot import Empty, Plot
from trex.views.report.report import GraphPicture, LayerTable, Part, Report, Shown

_SCRIPTS = ("unpack", "hub", "theme", "charts", "layers", "panel", "graph", "glossary", "keys", "main")


def render(report: Report, style: ReportStyle) -> bytes:
    """The page, the same for the same report. Raises TrexError naming the extra when plotly is not installed."""
    shown = {item.name: item.make() for _, item in report.items()}
    charts = {name: each for name, each in shown.items() if isinstance(each, Plot | Empty)}
    figures = {name: figure_for_page(plot, style.look) for name, plot in charts.items()}
    parts = [("summary", "Summary", "".join(_summary(report)))]
    parts += [(part.name, part.title, "".join(_part(report, part, shown, figures))) for part in report.parts]
    return OfflinePage(
        title=report.title,
        badges=[report.summary.statement] if report.summary.statement else [],
        parts=parts,
        figures=figures,
        table=layers_data(report),
        packed={"data-graph": _graph(report)},
        scripts=_SCRIPTS,
    ).render()


def _summary(report: Report) -> Iterator[str]:
    yield from facts_html(report.summary.facts)
    for table in report.summary.tables:
        yield from table_html(table.for_people())
    if report.summary.caveats:
        yield "<h3>Caveats</h3>\n"
        yield from notes_html(note.seen_from(report.summary.folder) for note in report.summary.caveats)


def _part(report: Report, part: Part, shown: Mapping[str, Shown], figures: Mapping[str, Figure]) -> Iterator[str]:
    yield from content_html(part.content.seen_from(report.summary.folder))
    charts = [item for item in part.items if item.name in figures]
    if charts:
        yield '<div class="charts">\n'
        for item in charts:
            note = getattr(shown[item.name], "note", "")
            yield chart_html(item.name, item.title, item.explanation, note, figures[item.name])
        yield "</div>\n"
    for item in part.items:
        if item.name not in figures:
            yield _SHOWN[type(shown[item.name])]


_GRAPH = """\
<div class="graph"><button type="button" id="larger" aria-pressed="false">Larger</button>
<div id="graph-frame" role="group" aria-label="Engine graph"></div></div>
"""
_SHOWN: dict[type, str] = {GraphPicture: _GRAPH, LayerTable: table_seat("Layers", "latency.avg_time>0.05")}


def _graph(report: Report) -> str:
    """The page of the graph, which the report shows in a frame."""
    plan = report.subject.plan
    if plan is None or not plan.layers:
        return ""
    drawing = Drawing(plan, DiagramStyle(), lint=report.subject.lint).page
    return render_html(drawing.scene, drawing.graph, plan)


FORMAT = ReportFormat((".html", ".htm"), render, is_text=False)
