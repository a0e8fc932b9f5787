"""HTML: one offline page with tables, charts and graphs that select one another; it asks nothing of any network.

One file, to open in any browser of 2023 or later and to send to anyone; it needs no server.

- A report begins with the answer: how fast, what bounds it, where time goes, the findings with the largest likely
  savings, how sure that is, what the files lack and the command that gets it. The rest is on tabs.
- The bar of where time goes filters: a click on a part shows its layers in the table, the graph and the charts. A
  second click, or Escape, shows all.
- A click on a bar, a point, a box of the graph or a row selects that layer everywhere, and a panel shows all its facts.
- The address names what is shown: ``#tab=layers``, ``#filter=type=Pooling``, ``#layer=conv1``, ``#chart=roofline``,
  ``#finding=QDQ001``. Copy it, reload it, go back.
- The table of layers contains every layer, the slowest first: sort by a heading, filter by words, ``time>0.05``,
  ``latency.avg_time>0.05`` or ``type=Pooling``, choose the columns, save them as CSV. A heading's tooltip names the
  column of ``plan.df``.
- With a verbose log of the build, a tab shows its phases, times and choices, and the panel of a layer lists the tactics
  that the builder timed for it, with the reason why each was not chosen.
- A comparison has both graphs side by side, colored by change: slower, faster, new, gone, unchanged. A click on a
  layer marks its match in the other graph and brings it into view; a color chosen in one graph is chosen in both. With
  more than two engines, a menu chooses which one is compared with the base; ``#show=1`` is the second. Its details
  are folded; a click on their title or their link opens them.
- "Metrics" explains every figure and every chart. Dark or light follows the system until you choose.
- Keys: arrows, Home and End go from tab to tab and through the table; ``j`` and ``k`` to the next and the previous tab
  or section; ``/`` filters, ``d`` switches dark and light, ``?`` explains, ``c`` copies the link of what is selected or
  under the pointer, Escape clears first the selection, then the filter. The graph has its own keys: its ``?`` lists
  them.
- Paper has all tabs and all charts, light and small, whoever prints: "Print", the browser's menu, or
  ``chromium --headless --print-to-pdf=report.pdf report.html``. Graphs and the table of layers are not printed, the
  slowest layers are. A chart of more than 600 marks shows fewer there.
- All of it works with keys alone; every chart has its numbers in words; axe-core finds no violation.

Its content security policy forbids every request and every function made from text. The script of the charts is that of
the installed plotly package, packed into the page. plotly.js is Copyright Plotly, Inc., under the MIT license: its
notice is at the head of the packed script, and the license's text at the end of the page. Without plotly the page has
no charts, and says which extra brings them. A document without charts, graphs and tables to browse is a small page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from trex.core.errors import TrexError
from trex.export.block_html import block_html, notes_html, table_html, text
from trex.export.browse_data import browse_data, details_data
from trex.export.document import DocumentFormat, RenderStyle
from trex.export.figures.look import Look
from trex.export.html import render_html
from trex.export.offline_page import (
    OfflinePage,
    PackedObject,
    packed_data,
    packed_plotly,
    packed_text,
    page_figure,
)
from trex.export.stack_html import stack_html
from trex.views.document import Block, DetailsBlock, Document, PlotBlock, SceneBlock, Section, TableBlock
from trex.views.plot import Empty, Plot
from trex.views.plot_summary import plot_summary
from trex.views.table import Table

# Elements that the page's scripts look for.
_TAKEN = frozenset(
    ("choices", "choose", "columns", "content", "csv", "explain", "filter", "glossary", "graphs", "larger", "notes")
    + ("copied", "keys", "panel", "print", "rows", "status", "table", "theme")
)

_FEW = 2
"""So many charts without data stand alone; more of the same reason are one."""
_NOTES = Section("notes", "Notes")
_KEYS = Section("keys", "Keys")
_MEANINGS = {
    "← →": "with the focus on a tab: go from tab to tab",
    "j k": "the next tab, the previous tab",
    "/": "filter the layers",
    "↑ ↓": "with the focus on the table: go from layer to layer",
    "c": "copy the link of what is selected or under the pointer",
    "Esc": "clear the selection, then the filter",
    "d": "dark or light",
    "?": "what every figure means",
    "Ctrl P": "print all tabs",
}


@dataclass(frozen=True, slots=True)
class _Card:
    """One section as HTML. tab: that has it, "" for none. is_browsed: it has graphs or a table to browse."""

    name: str
    title: str
    html: str
    tab: str = ""
    is_browsed: bool = False


@dataclass(frozen=True, slots=True)
class _Chart:
    """One chart as HTML. empty: why it has no marks, None if it has."""

    name: str
    title: str
    html: str
    empty: Empty | None


def render(document: Document, style: RenderStyle) -> bytes:
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
        self.figures = PackedObject()
        self.packed: dict[str, bytes] = {}
        self.charts: set[str] = set()
        self.is_pair = False
        self.tabs = list(dict.fromkeys(section.tab for section in document.sections if section.tab))

    def render(self) -> bytes:
        cards = list(self._cards())
        is_browsed = bool(self.tables)
        parts = {
            "tabs": bool(self.tabs),
            "charts": bool(self.figures),
            "graph": bool(self.scenes),
            "browse": is_browsed,
            "shares": is_browsed and not self.is_pair,
            "pair_panel": is_browsed and self.is_pair,
            "panel": is_browsed and not self.is_pair,
            "glossary": is_browsed or bool(self.charts),
            "details": is_browsed and "data-details" in self.packed,
            "lists": is_browsed and any(name.startswith("data-list-") for name in self.packed),
        }
        used = (name for name, is_there in parts.items() if is_there)
        scripts = ("elements", "hub", "theme", *used, "address", "paper", "keys", "main")
        navigation = _tabs(self.tabs) if self.tabs else _links(cards)
        first = f' data-tab="{text(self.tabs[0].lower())}"' if self.tabs else ""
        return OfflinePage(
            title=self.document.title,
            header=_header(self.document, can_print=bool(self.charts), can_explain=parts["glossary"]),
            navigation=navigation,
            kind=first or _classes({"with-nav": bool(navigation), "pair-page": self.is_pair}),
            content=(self._notice(), *_panels(self.tabs, cards)),
            scripts=scripts,
            styles=(
                *(("tabs",) if self.tabs else ()),
                "page",
                *(("pair",) if self.is_pair else ()),
                *(("build",) if "data-details" in self.packed else ()),
            ),
            figures=self.figures,
            packed=self.packed,
        ).render()

    def _notice(self) -> str:
        """Which extra brings the charts."""
        if not self.missing:
            return ""
        return f'<p class="notice">{text(self.missing.message)}: {text(self.missing.hint)}</p>\n'

    def _cards(self) -> Iterator[_Card]:
        """Each section; those without a title join the one before.

        Notes about the whole follow the first section, or are on the last tab.
        """
        content = "".join(notes_html(self.document.notes))
        tab = self.tabs[-1] if self.tabs else ""
        notes = [_Card(_id(_NOTES), "Notes", _card(_NOTES, content), tab)] if content else []
        for number, group in enumerate(_groups(self.document.sections)):
            first = group[0]
            content = "".join(part for section in group for part in self._section(section))
            if content:
                yield _Card(_id(first), first.title, self._card(first, content), first.tab, _is_browsed(first))
            if not number and not tab:
                yield from notes
        if tab or not self.document.sections:
            yield from notes
        if tab:
            rows = "".join(
                f"<div><dt><kbd>{key}</kbd></dt><dd>{words}</dd></div>\n" for key, words in _MEANINGS.items()
            )
            yield _Card("keys", _KEYS.title, _card(_KEYS, f'<dl class="facts">\n{rows}</dl>\n', "screen"), tab)

    def _card(self, section: Section, content: str) -> str:
        if not self.tabs:
            return _card(section, content, "folded" if _is_folded(section) else "")
        is_repeated = bool(self.tables and section.blocks) and all(map(_is_of_layers, section.blocks))
        return _card(section, content, "paper" if is_repeated else "" if section.tab else "hero")

    def _section(self, section: Section) -> Iterator[str]:
        """Charts that follow one another stand in one grid."""
        charts: list[_Chart] = []
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
            self.packed["data-details"] = packed_data({"title": block.title, **details_data(block.make())})
        elif isinstance(block, Table) and self.tabs:
            yield from (
                stack_html(block, self.look) if block.selects and self.tables else table_html(block, is_linked=True)
            )
        else:
            yield from block_html(block)

    def _chart(self, block: PlotBlock) -> Iterator[_Chart]:
        if self.missing:
            return
        plot = block.make()
        figure = page_figure(plot, self.look)
        name = block.name if block.name not in self.charts else f"{block.name}-{len(self.charts)}"
        self.charts.add(name)
        title, words = text(block.title), text(block.explanation)
        note = getattr(plot, "note", "")
        link = f'<a href="#chart={text(name)}">{title}</a>'
        caption = f"<h3>{link}</h3><p>{words}</p>" + (f'<p class="note">{text(note)}</p>' if note else "")
        if isinstance(figure, Empty):
            body = f'<p class="empty">{text(figure.reason)}<br>{text(figure.hint)}</p>'
        else:
            self.figures.add(name, figure)
            label = text(f"{block.title}: {plot_summary(plot) if isinstance(plot, Plot) else ''}")
            body = f'<div class="plot" role="group" aria-label="{label}" data-chart="{text(name)}"></div>'
        empty = figure if isinstance(figure, Empty) else None
        kind = ' class="empty-chart"' if empty else ""
        html = f'<figure id="chart-{text(name)}"{kind}><figcaption>{caption}</figcaption>{body}</figure>\n'
        yield _Chart(name, block.title, html, empty)

    def _scene(self, block: SceneBlock) -> Iterator[str]:
        """Where the page puts its graphs: those of the first block, or of the one that the menu chooses."""
        number = self.scenes.index(block)
        views = list(block.make())
        titles = [view.scene.title for view in views]
        is_pair = len(views) > 1
        for view_number in range(len(titles)):
            view = views.pop(0)  # a scene takes more memory than the page that is made of it
            page = render_html(view.scene, view.graph, view.plan, view.colorings, is_paired=is_pair)
            del view
            self.packed[f"data-scene-{number}-{view_number}"] = packed_text(page)
        if block.matches is not None:
            self.packed[f"data-matches-{number}"] = packed_data(block.matches())
        if number:
            return
        self.is_pair = is_pair
        if self.is_pair:
            yield '<p class="lead">Click a layer to mark its match in the other engine.</p>\n'
        yield from _menu([scene.title for scene in self.scenes])
        yield '<div class="graph"><button type="button" id="larger" aria-pressed="false">Larger</button>\n'
        yield f'<div id="graphs"{" class=pair" if self.is_pair else ""}>\n'
        for title in titles:
            yield f'<div class="view" role="group" aria-label="Graph: {text(title)}"></div>\n'
        yield "</div></div>\n"

    def _table(self, block: TableBlock) -> Iterator[str]:
        """Where the page puts the table that people sort and filter."""
        number = self.tables.index(block)
        self.packed[f"data-table-{number}"] = packed_data(browse_data(block))
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
        known = block.make().for_people()
        self.packed[f"data-list-{block.name}"] = packed_data(browse_data(replace(block, make=lambda: known)))
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


def _is_browsed(section: Section) -> bool:
    return any(
        isinstance(block, SceneBlock) or (isinstance(block, TableBlock) and not block.is_list)
        for block in section.blocks
    )


def _is_folded(section: Section) -> bool:
    """Graphs and tables to browse are not folded away: a page has room for them."""
    return section.is_folded and not _is_browsed(section)


def _is_of_layers(block: Block) -> bool:
    """Whether the block is a part of the table of layers, which the page has."""
    return isinstance(block, Table) and any(column.links.startswith("layer=") for column in block.columns)


def _id(section: Section) -> str:
    return f"section-{section.name}" if section.name in _TAKEN or not section.name else section.name


def _classes(names: Mapping[str, bool]) -> str:
    """The attribute with those that apply; "" for none."""
    kinds = " ".join(name for name, applies in names.items() if applies)
    return f' class="{kinds}"' if kinds else ""


def _links(cards: Sequence[_Card]) -> str:
    """The navigation of a page without tabs; none for a few sections."""
    links = [f'<li><a href="#{text(card.name)}">{text(card.title)}</a></li>\n' for card in cards if card.title]
    return f'<nav aria-label="Sections"><ul>\n{"".join(links)}</ul></nav>\n' if len(links) > 2 else ""


def _tabs(tabs: Sequence[str]) -> str:
    """The list of tabs: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/."""
    buttons = (
        f'<button type="button" role="tab" id="tab-{text(name)}" aria-controls="panel-{text(name)}" '
        f'aria-selected="{str(not number).lower()}" tabindex="{-1 if number else 0}">{text(title)}</button>\n'
        for number, (name, title) in enumerate((tab.lower(), tab) for tab in tabs)
    )
    tablist = f'<div role="tablist" aria-label="Sections">\n{"".join(buttons)}</div>'
    return f'<div class="tabs" role="region" aria-label="Tabs">{tablist}</div>\n'


def _panels(tabs: Sequence[str], cards: Sequence[_Card]) -> Iterator[str]:
    """Cards of no tab above all others; the first panel is open, and shows graphs and tables to browse, too."""
    yield from (card.html for card in cards if not card.tab)
    for number, tab in enumerate(tabs):
        own = [card for card in cards if card.tab == tab]
        is_first = number == 0 or any(card.is_browsed for card in own)
        name = text(tab.lower())
        state = " data-first" if is_first else ' hidden="until-found"'
        yield f'<div role="tabpanel" id="panel-{name}" aria-labelledby="tab-{name}"{state}>\n'
        yield from (card.html for card in own)
        yield "</div>\n"


def _card(section: Section, content: str, kind: str = "") -> str:
    name, title = text(_id(section)), text(section.title)
    label = f' aria-labelledby="{name}-title"' if title else ""
    kinds = " ".join(filter(None, (kind, "screen" if _is_browsed(section) else "")))
    kind_of = f' class="{kinds}"' if kinds else ""
    if kind == "folded":
        content = f'<details><summary><h2 id="{name}-title">{title}</h2></summary>\n{content}</details>\n'
    elif title:
        content = f'<h2 id="{name}-title">{title}</h2>\n{content}'
    return f'<section id="{name}"{kind_of}{label}>\n{content}</section>\n'


def _grid(charts: Sequence[_Chart]) -> Iterator[str]:
    """Side by side; many that lack the same are one."""
    groups: dict[Empty | str, list[_Chart]] = {}
    for chart in charts:
        groups.setdefault(chart.empty or chart.name, []).append(chart)
    figures = (
        _without_data(group) if len(group) > _FEW else "".join(chart.html for chart in group)
        for group in groups.values()
    )
    if charts:
        yield f'<div class="charts">\n{"".join(figures)}</div>\n'


def _without_data(charts: Sequence[_Chart]) -> str:
    empty = charts[0].empty or Empty("")
    titles = ", ".join(f'<span id="chart-{text(chart.name)}">{text(chart.title)}</span>' for chart in charts)
    words = f'<p class="empty">{text(empty.reason)}<br>{text(empty.hint)}</p>'
    return f'<figure class="empty-chart"><figcaption><h3>No data</h3><p>{titles}</p></figcaption>{words}</figure>\n'


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
        packed_plotly()
    except TrexError as error:
        return error
    return None


FORMAT = DocumentFormat((".html", ".htm"), render, is_text=False)
