"""Parts of a page → one offline file: style, script, charts and packed data around what a document has to say.

What the page may do, and what of plotly is in it, is told in ``trex.export.reports.html``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from trex.core.errors import missing_extra
from trex.export.figures.figure import described
from trex.export.figures.look import Look
from trex.export.packed import packed_data, packed_text
from trex.export.page_content import text
from trex.views.plot import Empty, Plot

_SEAT = re.compile(r"\{\{(\w+)\}\}")
# Looked at once, as it is about to be drawn; a chart of more marks would keep the page busy.
MOST_MARKS = 20_000

Figure = dict[str, Any] | Empty


@dataclass(frozen=True)
class OfflinePage:
    """title: shown as text. badges: what must be said at once, as that data is synthetic. parts: (id, title, HTML of
    the content, nothing in it unescaped). figures: charts by the name of their seat. table: columns of the table, see
    ``page_layers``. packed: {id: text} that scripts unpack. scripts, styles: names of the files in ``page``. links:
    {id: title} of parts that the list of parts names shorter.
    """

    title: str
    badges: Sequence[str]
    parts: Sequence[tuple[str, str, str]]
    figures: Mapping[str, Figure]
    table: Mapping[str, Any]
    packed: Mapping[str, str]
    scripts: Sequence[str]
    styles: Sequence[str] = ("page",)
    links: Mapping[str, str] = field(default_factory=dict)

    def render(self) -> bytes:
        """The same for the same content. Raises TrexError naming the extra when charts need plotly and it is absent."""
        drawn = {name: figure for name, figure in self.figures.items() if not isinstance(figure, Empty)}
        seats = {
            "title": text(self.title),
            "statement": "".join(f'<span class="badge">{text(badge)}</span>' for badge in self.badges),
            "style": "".join(_piece(f"{name}.css") for name in self.styles),
            "navigation": "".join(
                f'<li><a href="#{text(name)}">{text(self.links.get(name, title))}</a></li>\n'
                for name, title, _ in self.parts
            ),
            "parts": "".join(_section(*part) for part in self.parts),
            "plotly": packed_text(plotly_script()) if drawn else "",
            "figures": packed_data(drawn),
            "layers": packed_data(self.table),
            "graphs": "".join(
                f'<script type="text/plain" id="{text(name)}">{packed_text(content)}</script>\n'
                for name, content in self.packed.items()
            ),
            "license": _license() if drawn else "",
            "script": '(() => {\n"use strict";\n'
            + "\n".join(_piece(f"{name}.js") for name in self.scripts)
            + "\n})();\n",
        }
        return _SEAT.sub(lambda seat: seats[seat[1]], _piece("page.html")).encode("utf-8", "replace")


def figure_for_page(plot: Plot | Empty, look: Look) -> Figure:
    """The chart as the page's script takes it, or why it is not drawn."""
    if isinstance(plot, Empty):
        return plot
    figure = described(plot, look)
    marks = sum(len(trace.get("x") or trace.get("values") or ()) for trace in figure["data"])
    if marks > MOST_MARKS:
        return Empty(f"{marks:,} marks would keep a browser busy", "-o x.json holds the numbers")
    # The page says the title itself, where people can search and read it aloud.
    return {**figure, "layout": {**figure["layout"], "title": {"text": ""}}}


def chart_html(name: str, title: str, why: str, note: str, figure: Figure) -> str:
    """The seat of a chart with its title and what it shows; of an empty one, why it is empty."""
    shown, told = text(title), text(why)
    caption = f"<h3>{shown}</h3><p>{told}</p>" + (f'<p class="note">{text(note)}</p>' if note else "")
    if isinstance(figure, Empty):
        body = f'<p class="empty">{text(figure.reason)}<br>{text(figure.hint)}</p>'
    else:
        body = f'<div class="plot" role="img" aria-label="{shown}. {told}" data-chart="{text(name)}"></div>'
    return f'<figure id="chart-{text(name)}"><figcaption>{caption}</figcaption>{body}</figure>\n'


def table_seat(label: str, example: str) -> str:
    """Where the page's script puts the table that is sorted and filtered. example: of a filter by number."""
    return (
        '<div class="layers"><div class="bar"><input id="filter" type="search" autocomplete="off" spellcheck="false"\n'
        f'placeholder="Filter: words, or column&gt;number, as {text(example)}" '
        f'aria-label="Filter {text(label.lower())}">\n'
        '<output id="rows" for="filter" role="status"></output>\n'
        '<button type="button" id="columns" aria-expanded="false" aria-controls="choices">Columns</button>\n'
        '<button type="button" id="csv">CSV</button></div>\n<div id="choices" hidden></div>\n'
        f'<div id="table" role="grid" tabindex="0" aria-label="{text(label)}"><div class="body">'
        '<div class="head" role="row"></div>\n<div class="pane"></div></div></div></div>\n'
    )


@cache
def plotly_script() -> str:
    """Raises TrexError naming the extra when plotly is not installed."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise missing_extra("plotly", "report", "a report with charts") from error
    script: str = get_plotlyjs()
    return script


def _section(name: str, title: str, content: str) -> str:
    name = text(name)
    return (
        f'<section id="{name}" aria-labelledby="{name}-title">\n<h2 id="{name}-title">{text(title)}</h2>\n'
        f"{content}</section>\n"
    )


def _license() -> str:
    """The notice of plotly.js and the text of its license, as the installed package brings them."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import files as files_of

    notice = re.match(r"\s*/\*.*?\*/", plotly_script(), re.DOTALL)
    found = [notice[0].strip()] if notice else []
    try:
        texts = [each for each in files_of("plotly") or () if each.name.upper().startswith("LICENSE")]
        found += [each.read_text(encoding="utf-8").strip() for each in texts[:1]]
    except (PackageNotFoundError, OSError):
        pass  # the notice names the license
    words = "\n".join(text(line) for line in "\n\n".join(found).split("\n"))
    return f"<footer><details><summary>plotly.js and its license</summary><pre>{words}</pre></details></footer>\n"


@cache
def _piece(name: str) -> str:
    return (files("trex.export") / "page" / name).read_text(encoding="utf-8")
