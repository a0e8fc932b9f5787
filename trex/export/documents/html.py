"""HTML: one offline page with tables, charts and graphs that select one another; it asks nothing of any network.

One file, to open in any browser of 2023 or later and to send to anyone; it needs no server.

- A click on a bar, a point, a box of the graph or a row selects that layer everywhere, and a panel shows all its
  facts. The address names the layer (``#layer=conv1``): copy it, reload it, go back.
- The table of layers contains every layer: sort by a heading, filter by words, ``latency.avg_time>0.05`` or
  ``type=Pooling``, choose the columns, save them as CSV.
- A comparison has both graphs side by side, colored by change: slower, faster, new, gone, unchanged. A click on a
  layer marks its match in the other graph and brings it into view; a color chosen in one graph is chosen in both. With
  more than two engines, a menu chooses which one is compared with the base.
- "Metrics" explains every figure and every chart. Dark or light follows the system until you choose.
- Keys: ``j`` and ``k`` go from section to section, ``/`` filters, ``d`` switches dark and light, ``?`` explains, ``c``
  copies the link of the selected layer, Escape clears the selection, arrows move through the table. The graph has its
  own keys: its ``?`` lists them.
- The page begins with the answer; details are folded, and a click on their title or their link opens them.
- "Print", or Ctrl P, opens all sections and draws all charts first; graphs and the table of layers are not printed.

Its content security policy forbids every request and every function made from text. The script of the charts is that of
the installed plotly package, packed into the page. plotly.js is Copyright Plotly, Inc., under the MIT license: its
notice is at the head of the packed script, and the license's text at the end of the page. Without plotly the page has
no charts, and says which extra brings them. A document without charts, graphs and tables to browse is a small page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trex.core.errors import TrexError
from trex.export.block_html import block_html, notes_html, text
from trex.export.browse_data import browse_data, details_data
from trex.export.document import DocumentFormat, RenderStyle
from trex.export.figures.look import Look
from trex.export.html import render_html
from trex.export.offline_page import OfflinePage, page_figure, plotly_script
from trex.views.document import Block, DetailsBlock, Document, PlotBlock, SceneBlock, Section, TableBlock
from trex.views.plot import Empty

# Elements that the page's scripts look for.
_TAKEN = frozenset(
    ("choices", "choose", "columns", "content", "csv", "explain", "filter", "glossary", "graphs", "larger", "notes")
    + ("panel", "print", "rows", "status", "table", "theme")
)

_NOTES = Section("notes", "Notes")


def render(document: Document, style: RenderStyle) -> str:
    """The page, the same for the same document."""
    return _Page(document, style.look).render()


class _Page:
    """One page while it is made: its figures and packed data are collected on the way."""

    def __init__(self, document: Document, look: Look) -> None:
        blocks = [block for section in document.sections for block in section.blocks]
        self.document, self.look = document, look
        self.scenes = [block for block in blocks if isinstance(block, SceneBlock)]
        self.tables = [block for block in blocks if isinstance(block, TableBlock) and not block.is_list]
        self.missing = _missing_plotly() if any(isinstance(block, PlotBlock) for block in blocks) else None
        self.figures: dict[str, dict[str, Any]] = {}
        self.packed: dict[str, Any] = {}
        self.charts: set[str] = set()
        self.is_pair = False

    def render(self) -> str:
        cards = list(self._cards())
        is_browsed = bool(self.tables)
        parts = {
            "charts": bool(self.figures),
            "graph": bool(self.scenes),
            "browse": is_browsed,
            "pair_panel": is_browsed and self.is_pair,
            "panel": is_browsed and not self.is_pair,
            "glossary": is_browsed or bool(self.charts),
            "details": is_browsed and "data-details" in self.packed,
            "lists": is_browsed and any(name.startswith("data-list-") for name in self.packed),
        }
        scripts = ("elements", "hub", "theme", *(name for name, is_there in parts.items() if is_there), "keys", "main")
        links = [
            f'<li><a href="#{text(name)}">{text(title)}</a></li>\n' for name, title, is_linked, _ in cards if is_linked
        ]
        return OfflinePage(
            title=self.document.title,
            header=_header(self.document, can_print=bool(self.charts), can_explain=parts["glossary"]),
            navigation=f'<nav aria-label="Sections"><ul>\n{"".join(links)}</ul></nav>\n' if len(links) > 2 else "",
            content=self._notice() + "".join(content for *_, content in cards),
            scripts=scripts,
            styles=("page", *(["pair"] if self.is_pair else []), *(["build"] if "data-details" in self.packed else [])),
            figures=self.figures,
            packed=self.packed,
        ).render()

    def _notice(self) -> str:
        """Which extra brings the charts."""
        if not self.missing:
            return ""
        return f'<p class="notice">{text(self.missing.message)}: {text(self.missing.hint)}</p>\n'

    def _cards(self) -> Iterator[tuple[str, str, bool, str]]:
        """(id, title, whether the navigation has it, HTML) of each section; those without a title join the one before.

        Notes about the whole follow the first section.
        """
        notes = "".join(notes_html(self.document.notes))
        for number, group in enumerate(_groups(self.document.sections)):
            first = group[0]
            content = "".join(part for section in group for part in self._section(section))
            if content:
                yield _id(first), first.title, _is_linked(first), _card(first, content)
            if not number and notes:
                yield _id(_NOTES), "Notes", True, _card(_NOTES, notes)
        if not self.document.sections and notes:
            yield _id(_NOTES), "Notes", True, _card(_NOTES, notes)

    def _section(self, section: Section) -> Iterator[str]:
        """Charts that follow one another stand in one grid."""
        charts: list[str] = []
        for block in section.blocks:
            if isinstance(block, PlotBlock):
                charts += self._chart(block)
                continue
            yield from _grid(charts)
            charts = []
            yield from self._block(block)
        yield from _grid(charts)
        yield from notes_html(section.notes)

    def _block(self, block: Block) -> Iterator[str]:
        if isinstance(block, SceneBlock):
            yield from self._scene(block)
        elif isinstance(block, TableBlock) and block.is_list:
            yield from self._list(block)
        elif isinstance(block, TableBlock):
            yield from self._table(block)
        elif isinstance(block, DetailsBlock):
            self.packed["data-details"] = {"title": block.title, **details_data(block.make())}
        else:
            yield from block_html(block)

    def _chart(self, block: PlotBlock) -> Iterator[str]:
        if self.missing:
            return
        plot = block.make()
        figure = page_figure(plot, self.look)
        name = block.name if block.name not in self.charts else f"{block.name}-{len(self.charts)}"
        self.charts.add(name)
        title, words = text(block.title), text(block.explanation)
        note = getattr(plot, "note", "")
        caption = f"<h3>{title}</h3><p>{words}</p>" + (f'<p class="note">{text(note)}</p>' if note else "")
        if isinstance(figure, Empty):
            body = f'<p class="empty">{text(figure.reason)}<br>{text(figure.hint)}</p>'
        else:
            self.figures[name] = figure
            body = f'<div class="plot" role="img" aria-label="{title}. {words}" data-chart="{text(name)}"></div>'
        yield f'<figure id="chart-{text(name)}"><figcaption>{caption}</figcaption>{body}</figure>\n'

    def _scene(self, block: SceneBlock) -> Iterator[str]:
        """Where the page puts its graphs: those of the first block, or of the one that the menu chooses."""
        number = self.scenes.index(block)
        views = block.make()
        for view_number, view in enumerate(views):
            page = render_html(view.scene, view.graph, view.plan, view.colorings, is_paired=len(views) > 1)
            self.packed[f"data-scene-{number}-{view_number}"] = page
        if block.matches is not None:
            self.packed[f"data-matches-{number}"] = block.matches()
        if number:
            return
        self.is_pair = len(views) > 1
        if self.is_pair:
            yield '<p class="lead">Click a layer to mark its match in the other engine.</p>\n'
        yield from _menu([scene.title for scene in self.scenes])
        yield '<div class="graph"><button type="button" id="larger" aria-pressed="false">Larger</button>\n'
        yield f'<div id="graphs"{" class=pair" if self.is_pair else ""}>\n'
        for view in views:
            yield f'<div class="view" role="group" aria-label="Graph: {text(view.scene.title)}"></div>\n'
        yield "</div></div>\n"

    def _table(self, block: TableBlock) -> Iterator[str]:
        """Where the page puts the table that people sort and filter."""
        number = self.tables.index(block)
        self.packed[f"data-table-{number}"] = browse_data(block)
        if number:
            return
        if len(self.scenes) < 2:
            yield from _menu([table.title for table in self.tables])
        example = f", such as {text(block.example)}" if block.example else ""
        label = text(block.title)
        yield (
            '<div class="browse"><div class="tools"><input id="filter" type="search" autocomplete="off" '
            f'spellcheck="false"\nplaceholder="Filter: words, or column&gt;number{example}" '
            f'aria-label="Filter {label}">\n'
            '<output id="rows" for="filter" role="status"></output>\n'
            '<button type="button" id="columns" aria-expanded="false" aria-controls="choices">Columns</button>\n'
            '<button type="button" id="csv">CSV</button></div>\n<div id="choices" hidden></div>\n'
            f'<div id="table" role="grid" tabindex="0" aria-label="{label}"><div class="body">'
            '<div class="head" role="row"></div>\n<div class="pane"></div></div></div></div>\n'
        )

    def _list(self, block: TableBlock) -> Iterator[str]:
        """Where the page puts a table with a field to search in."""
        name, title = text(block.name), text(block.title)
        self.packed[f"data-list-{block.name}"] = browse_data(block)
        example = f", such as {text(block.example)}" if block.example else ""
        yield (
            f'<div class="list" data-list="data-list-{name}"><h3>{title}</h3>\n<div class="tools">'
            '<input type="search" autocomplete="off" spellcheck="false" '
            f'placeholder="Search: words, or column&lt;number{example}" aria-label="Search {title}">\n'
            '<output role="status"></output></div>\n<div class="wide"><table></table></div></div>\n'
        )


def _groups(sections: Sequence[Section]) -> Iterator[list[Section]]:
    """Sections that stand in one card: several in a row without titles."""
    group: list[Section] = []
    for section in sections:
        if group and not section.title and not group[-1].title:
            group.append(section)
            continue
        if group:
            yield group
        group = [section]
    if group:
        yield group


def _is_folded(section: Section) -> bool:
    """Graphs and tables to browse are not folded away: a page has room for them."""
    return section.is_folded and not _is_browsed(section)


def _is_browsed(section: Section) -> bool:
    return any(
        isinstance(block, SceneBlock) or (isinstance(block, TableBlock) and not block.is_list)
        for block in section.blocks
    )


def _is_linked(section: Section) -> bool:
    return bool(section.title)


def _id(section: Section) -> str:
    return f"section-{section.name}" if section.name in _TAKEN or not section.name else section.name


def _card(section: Section, content: str) -> str:
    name, title = text(_id(section)), text(section.title)
    label = f' aria-labelledby="{name}-title"' if title else ""
    is_browsed = _is_browsed(section)
    kind = ' class="folded"' if _is_folded(section) else ' class="screen"' if is_browsed else ""
    if _is_folded(section):
        content = f'<details><summary><h2 id="{name}-title">{title}</h2></summary>\n{content}</details>\n'
    elif title:
        content = f'<h2 id="{name}-title">{title}</h2>\n{content}'
    return f'<section id="{name}"{kind}{label}>\n{content}</section>\n'


def _grid(charts: Sequence[str]) -> Iterator[str]:
    if charts:
        yield f'<div class="charts">\n{"".join(charts)}</div>\n'


def _menu(titles: Sequence[str]) -> Iterator[str]:
    if len(titles) > 1:
        options = "".join(f'<option value="{number}">{text(title)}</option>' for number, title in enumerate(titles))
        yield f'<label class="menu">Show <select id="choose">{options}</select></label>\n'


def _header(document: Document, can_print: bool, can_explain: bool) -> str:
    parts = [f"<h1>{text(document.title)}</h1>"]
    if document.subtitle:
        parts.append(f'<span class="subtitle">{text(document.subtitle)}</span>')
    if document.statement:
        parts.append(f'<span class="badge">{text(document.statement)}</span>')
    parts.append('\n<div class="tools" role="group" aria-label="Page">\n')
    if can_explain:
        parts.append(
            '<button type="button" id="explain" aria-expanded="false" aria-controls="glossary" '
            'title="What every figure means (?)">Metrics</button>\n'
        )
    if can_print:
        parts.append('<button type="button" id="print" title="Draws all charts first (Ctrl P)">Print</button>\n')
    parts.append('<button type="button" id="theme" title="Dark or light (d)" aria-label="Dark or light">◐</button>\n')
    return "".join((*parts, "</div>"))


def _missing_plotly() -> TrexError | None:
    try:
        plotly_script()
    except TrexError as error:
        return error
    return None


FORMAT = DocumentFormat((".html", ".htm"), render, is_text=False)
