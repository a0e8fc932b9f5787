"""Docstrings of charts and formats → the pages on charts and on the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from inspect import getdoc
from itertools import groupby

from trex.core.registry import Plug, Registry
from trex.export.document import EXPORTERS, FORMATS
from trex.export.documents import html
from trex.export.exporters import trace
from trex.views import plot, redaction
from trex.views.chart import CHARTS, Chart
from trex.views.report.document import ABOUT, OVERVIEW, PARTS

GROUP_WORDS = {
    "performance": "Where the time goes",
    "convolutions": "Convolutions",
    "memory": "Memory",
    "reformats": "Reformats",
    "gemms": "Convolutions and GEMMs by size",
    "efficiency": "Efficiency",
    "roofline": "Roofline",
    "time": "Measured times",
    "tactics": "Tactics",
}
ADDING = """\
`python utils/new.py chart NAME` writes one file, `trex/views/charts/NAME.py`, and its test. No other file needs a
change: the registry finds the chart, and it appears in the notebook's menus, in the page, in the workbook as a native
chart, in the JSON report, and here.

- `Chart(name, title, explanation, draw, group)`: the explanation says what the chart shows and how to read it; the
  group chooses the section of the report. A file offers one chart or several as a tuple `CHARTS`.
- `draw(subject)` takes a Subject: `subject.frame` is the table of layers, `subject.plan` and `subject.performance` are
  the plan and its performance, or None for a bare table. It returns one of the plots below, or
  `Empty(reason, hint)`. It must work for every engine: unknown values are left out and counted in `note`.
- Every axis has its unit. `layers` holds the layer index of each mark, so that a click on a mark selects its layer
  everywhere.
- The tests try every chart on every kind of engine, and `python -m tests.benchmarks --only report` holds each to 0.2 s
  for 5,000 layers.

Other packages add charts by the entry point `{group}`: a module with `CHARTS`.
"""
COMMANDS = """\
```bash
trex report out/ -o report.html               # one file, works offline
trex report out/ -o report.html --redact      # without the names of the model and its layers
trex report out/ -o report.html --colors safe # colors made for color-blind readers
trex report out/ -o report.xlsx
trex report out/ --json > report.json         # for programs
trex process model.onnx out/ --report         # build, profile and report
```

In Python: `trex.report_card.report_card(plan)` is the report as data, `.save("report.html")` writes it.
"""


def charts_page() -> str:
    parts = [
        "# Charts\n",
        f"{len(CHARTS.own)} charts, in tables of the files of `trex/views/charts/`. ● marks views of the classic",
        "report card, under their familiar titles. A chart without data says why, and what would provide the data.\n",
    ]
    for group, charts in groupby(CHARTS.own, key=lambda chart: chart.group):
        parts.append(f"## {GROUP_WORDS.get(group, group.capitalize())}\n")
        parts.append("| title | name | what it shows |\n| --- | --- | --- |")
        parts += [_chart_row(chart) for chart in charts]
        parts.append("")
    parts += ["## Adding a chart\n", ADDING.format(group=CHARTS.plugs.entry_point_group)]
    parts.append("| plot | what it is |\n| --- | --- |")
    kinds = (plot.Bars, plot.Histogram, plot.Pies, plot.Points, plot.Lines, plot.Tree)
    parts += [f"| `{kind.__name__}` | {_cell(getdoc(kind) or '')} |" for kind in kinds]
    return "\n".join(parts)


def report_page() -> str:
    parts = ["# The report\n", COMMANDS, *_pictures(), "## Formats\n", "| ending | what it is |\n| --- | --- |"]
    for plug in (*_own(FORMATS), *(plug for plug in _own(EXPORTERS) if "report" in plug.value.commands)):
        endings = ", ".join(f"`{suffix}`" for suffix in plug.value.suffixes)
        parts.append(f"| {endings} | {_cell(plug.summary)} |")
    parts += ["", "## Sections\n", "| tab | section | contents |\n| --- | --- | --- |"]
    parts += [f"| {tab} | {title} | {words} |" for tab, title, words in _sections()]
    for title, module in (
        ("The page", html),
        ("Traces", trace),
        ("Redaction", redaction),
    ):
        parts += ["", f"## {title}\n", _below(module.__doc__ or "")]
    parts += ["", "## Adding to it\n", *_adding()]
    return "\n".join(parts)


def _pictures() -> Iterator[str]:
    """What the page looks like, as ``utils/write_images.py`` takes it."""
    pictures = {
        "a transformer, in the dark": "report-dark.png",
        "a CNN, on a phone": "report-phone.png",
        "on paper": "report-print.png",
        "5,000 layers": "report-5000-layers.png",
    }
    yield f"| {' | '.join(pictures)} |"
    yield "| --- " * len(pictures) + "|"
    yield f"| {' | '.join(f'![{words}](../images/{file})' for words, file in pictures.items())} |\n"


def _sections() -> Iterator[tuple[str, str, str]]:
    yield "above all", "Summary", "How fast, the diagnosis, what bounds the layers, where time goes."
    yield OVERVIEW, "What to do", "The findings with the largest likely savings."
    yield OVERVIEW, "How sure, and what is missing", "What the times support, what the files lack, the command for it."
    yield OVERVIEW, "Slowest layers", "On paper and in other formats; the page shows graph and layers there."
    yield "Findings", "Findings", "What `trex lint` finds."
    yield "Graph", "Graph", "The engine's graph, in which groups open and close."
    yield "Layers", "Layers", "All layers with every column, to sort and filter."
    for part in PARTS:
        charts = [chart.title for chart in CHARTS.own if chart.group in part.charts]
        words = [f"`trex perf`: {', '.join(part.sections)}"] if part.sections else []
        words += [f"charts: {', '.join(charts)}"] if charts else []
        yield part.tab, part.title, _cell("; ".join(words))
    yield ABOUT, "Engine", "Facts, layers by precision, notes."


def _adding() -> Sequence[str]:
    return [
        "| what | command | entry point of other packages |\n| --- | --- | --- |",
        f"| a chart | `python utils/new.py chart NAME` ([charts.md](charts.md)) | `{CHARTS.plugs.entry_point_group}` |",
        f"| a format of every document | `python utils/new.py document-format NAME` | `{FORMATS.entry_point_group}` |",
        f"| a format of another tool | `python utils/new.py exporter NAME` | `{EXPORTERS.entry_point_group}` |",
    ]


def _own(registry: Registry) -> list[Plug]:
    return [registry.load(name) for name in registry.names]


def _chart_row(chart: Chart) -> str:
    mark = " ●" if chart.is_classic else ""
    return f"| {_cell(chart.title)}{mark} | `{chart.name}` | {_cell(chart.explanation)} |"


def _below(doc: str) -> str:
    """A docstring without its first paragraph."""
    return doc.partition("\n\n")[2].strip().replace("``", "`")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("``", "`").replace("|", "\\|")
