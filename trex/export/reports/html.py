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
nothing from an engine is ever made into code or markup. plotly.js is Copyright Plotly, Inc., under the MIT licence: its
notice stays at the head of the packed script, and the licence's text stands at the end of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from trex.core.errors import missing_extra
from trex.export.diagram import Drawing
from trex.export.figures.figure import described
from trex.export.figures.look import Look
from trex.export.html import render_html
from trex.export.packed import packed_data, packed_text
from trex.export.page_content import content_html, facts_html, notes_html, table_html, text
from trex.export.page_layers import layers_data
from trex.export.report import ReportFormat, ReportStyle
from trex.views.diagram.style import DiagramStyle
from trex.views.plot import Empty, Plot
from trex.views.report.report import GraphPicture, Item, LayerTable, Part, Report, Shown

_SCRIPTS = ("unpack", "hub", "theme", "charts", "layers", "panel", "graph", "glossary", "keys", "main")
_SEAT = re.compile(r"\{\{(\w+)\}\}")
# Looked at once, as it is about to be drawn; a chart of more marks would keep the page busy.
MOST_MARKS = 20_000


def render(report: Report, style: ReportStyle) -> bytes:
    """The page, the same for the same report. Raises TrexError naming the extra when plotly is not installed."""
    shown = {item.name: item.make() for _, item in report.items()}
    charts = {name: each for name, each in shown.items() if isinstance(each, Plot | Empty)}
    figures = {name: _figure(plot, style.look) for name, plot in charts.items()}
    drawn = {name: figure for name, figure in figures.items() if not isinstance(figure, Empty)}
    parts = {
        "title": text(report.title),
        "statement": f'<span class="badge">{text(report.summary.statement)}</span>' if report.summary.statement else "",
        "style": _piece("page.css"),
        "navigation": "".join(
            f'<li><a href="#{text(part.name)}">{text(part.title)}</a></li>\n' for part in report.parts
        ),
        "summary": "".join(_summary(report)),
        "parts": "".join("".join(_part(part, shown, figures)) for part in report.parts),
        "plotly": packed_text(_plotly()) if drawn else "",
        "figures": packed_data(drawn),
        "layers": packed_data(layers_data(report)),
        "graph": packed_text(_graph(report)),
        "licence": _licence() if drawn else "",
        "script": _script(),
    }
    return _SEAT.sub(lambda seat: parts[seat[1]], _piece("page.html")).encode("utf-8", "replace")


def _figure(plot: Plot | Empty, look: Look) -> dict[str, Any] | Empty:
    """The chart as the page's script takes it, or why it is not drawn."""
    if isinstance(plot, Empty):
        return plot
    figure = described(plot, look)
    marks = sum(len(trace.get("x") or trace.get("values") or ()) for trace in figure["data"])
    if marks > MOST_MARKS:
        return Empty(f"{marks:,} marks would keep a browser busy", "trex report -o x.json holds the numbers")
    # The page says the title itself, where people can search and read it aloud.
    return {**figure, "layout": {**figure["layout"], "title": {"text": ""}}}


def _summary(report: Report) -> Iterator[str]:
    yield from facts_html(report.summary.facts)
    for table in report.summary.tables:
        yield from table_html(table.for_people())
    if report.summary.caveats:
        yield "<h3>Caveats</h3>\n"
        yield from notes_html(report.summary.caveats)


def _part(part: Part, shown: Mapping[str, Shown], figures: Mapping[str, dict[str, Any] | Empty]) -> Iterator[str]:
    name = text(part.name)
    yield f'<section id="{name}" aria-labelledby="{name}-title">\n<h2 id="{name}-title">{text(part.title)}</h2>\n'
    yield from content_html(part.content)
    charts = [item for item in part.items if item.name in figures]
    if charts:
        yield '<div class="charts">\n'
        for item in charts:
            yield _chart(item, getattr(shown[item.name], "note", ""), figures[item.name])
        yield "</div>\n"
    for item in part.items:
        if item.name not in figures:
            yield _SHOWN[type(shown[item.name])]
    yield "</section>\n"


def _chart(item: Item, note: str, figure: dict[str, Any] | Empty) -> str:
    title, why = text(item.title), text(item.explanation)
    caption = f"<h3>{title}</h3><p>{why}</p>" + (f'<p class="note">{text(note)}</p>' if note else "")
    if isinstance(figure, Empty):
        body = f'<p class="empty">{text(figure.reason)}<br>{text(figure.hint)}</p>'
    else:
        body = f'<div class="plot" role="img" aria-label="{title}. {why}" data-chart="{text(item.name)}"></div>'
    return f'<figure id="chart-{text(item.name)}"><figcaption>{caption}</figcaption>{body}</figure>\n'


_GRAPH = """\
<div class="graph"><button type="button" id="larger" aria-pressed="false">Larger</button>
<div id="graph-frame" role="group" aria-label="Engine graph"></div></div>
"""
_LAYERS = """\
<div class="layers"><div class="bar"><input id="filter" type="search" autocomplete="off" spellcheck="false"
placeholder="Filter: words, or column&gt;number, as latency.avg_time&gt;0.05" aria-label="Filter layers">
<output id="rows" for="filter" role="status"></output>
<button type="button" id="columns" aria-expanded="false" aria-controls="choices">Columns</button>
<button type="button" id="csv">CSV</button></div>
<div id="choices" hidden></div>
<div id="table" role="grid" tabindex="0" aria-label="Layers"><div class="body"><div class="head" role="row"></div>
<div class="pane"></div></div></div></div>
"""
_SHOWN: dict[type, str] = {GraphPicture: _GRAPH, LayerTable: _LAYERS}


def _graph(report: Report) -> str:
    """The page of the graph, which the report shows in a frame."""
    plan = report.subject.plan
    if plan is None or not plan.layers:
        return ""
    drawing = Drawing(plan, DiagramStyle(), advice=report.subject.advice).page
    return render_html(drawing.scene, drawing.graph, plan)


@cache
def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise missing_extra("plotly", "report", "a report with charts") from error
    script: str = get_plotlyjs()
    return script


def _licence() -> str:
    """The notice of plotly.js and the text of its licence, as the installed package brings them."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import files as files_of

    notice = re.match(r"\s*/\*.*?\*/", _plotly(), re.DOTALL)
    found = [notice[0].strip()] if notice else []
    try:
        texts = [each for each in files_of("plotly") or () if each.name.upper().startswith("LICENSE")]
        found += [each.read_text(encoding="utf-8").strip() for each in texts[:1]]
    except (PackageNotFoundError, OSError):
        pass  # the notice names the licence
    words = "\n".join(text(line) for line in "\n\n".join(found).split("\n"))
    return f"<footer><details><summary>plotly.js and its licence</summary><pre>{words}</pre></details></footer>\n"


def _script() -> str:
    return '(() => {\n"use strict";\n' + "\n".join(_piece(f"{name}.js") for name in _SCRIPTS) + "\n})();\n"


@cache
def _piece(name: str) -> str:
    return (files("trex.export") / "page" / name).read_text(encoding="utf-8")


FORMAT = ReportFormat((".html", ".htm"), render, is_text=False)
