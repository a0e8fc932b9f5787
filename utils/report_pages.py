"""Docstrings of charts, parts and formats → the pages on charts and on the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from inspect import getdoc
from itertools import groupby

from trex.views.report.assembly import explanation
from trex.views.report.report import PARTS

from trex.core.registry import Plug, Registry
from trex.export.report import FORMATS
from trex.export.reports import html, speedscope, trace
from trex.views import plot, redaction
from trex.views.chart import CHARTS, GROUPS

GROUP_WORDS = {
    "performance": "Where the time goes",
    "convolutions": "Convolutions",
    "memory": "Memory",
    "reformats": "Reformats",
    "products": "Convolutions and matrix products by size",
    "efficiency": "Efficiency",
    "roofline": "Roofline",
    "time": "Measured times",
    "tactics": "Tactics",
}
ADDING = """\
`python utils/new.py chart NAME` writes one file, `trex/views/charts/NAME.py`, and its test. The file returns a plot
as data; its docstring says what the chart shows. No other file needs a change: the registry finds the chart, and it
appears in the notebook's menus, in the page, in the workbook as a native chart, in the JSON report, and here.

- `make(subject)` takes a Subject: `subject.frame` is the table of layers; `subject.plan` and `subject.performance` are
  the plan and its performance, or None if there is only a table. It returns one of the plots below, or
  `Empty(reason, hint)`. It must not fail for any engine: it leaves out what is unknown and counts it in `note`.
- `Chart(title, group, order, make)`: the group names the part of the report, the order the position in it.
- Every axis has a unit. `layers` holds the layer of each mark, so that a click on the mark selects that layer
  everywhere.
- The tests run every chart on every kind of engine. `python -m tests.benchmarks --only report` checks that each takes
  at most 0.2 s for 5 000 layers.

Other packages add charts by the entry point `{group}`: a module with a `CHART`.
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

In Python: `trex.report_card.report_card(plan)` returns the report as data, `write_report(report, "report.html")`
writes a file.
"""


def charts_page() -> str:
    parts = [
        "# Charts\n",
        f"{len(CHARTS.names)} charts, each one file in `trex/views/charts/`. ● marks views of the classic report card,",
        "under their familiar titles. A chart without data says why, and what would provide the data.\n",
    ]
    plugs = sorted(_own(CHARTS), key=lambda plug: (GROUPS.index(plug.value.group), plug.value.order))
    for group, here in groupby(plugs, key=lambda plug: plug.value.group):
        parts.append(f"## {GROUP_WORDS.get(group, group.capitalize())}\n")
        parts.append("| title | name | what it shows |\n| --- | --- | --- |")
        parts += [_chart_row(plug) for plug in here]
        parts.append("")
    parts += ["## Adding a chart\n", ADDING.format(group=CHARTS.entry_point_group)]
    parts.append("| plot | what it is |\n| --- | --- |")
    kinds = (plot.Bars, plot.Histogram, plot.Pies, plot.Points, plot.Lines, plot.Tree, plot.Heatmap)
    parts += [f"| `{kind.__name__}` | {_cell(getdoc(kind) or '')} |" for kind in kinds]
    return "\n".join(parts)


def report_page() -> str:
    parts = ["# The report\n", COMMANDS, "## Formats\n", "| ending | what it is |\n| --- | --- |"]
    for plug in _own(FORMATS):
        endings = ", ".join(f"`{suffix}`" for suffix in plug.value.suffixes)
        parts.append(f"| {endings} | {_cell(plug.summary)} |")
    parts += ["", "## Parts\n", "| part | what it shows |\n| --- | --- |"]
    parts += [f"| {title} | {words} |" for title, words in _parts()]
    for title, module in (
        ("The page", html),
        ("Traces", trace),
        ("Flame graphs", speedscope),
        ("Redaction", redaction),
    ):
        parts += ["", f"## {title}\n", _below(module.__doc__ or "")]
    parts += ["", "## Adding to it\n", *_adding()]
    return "\n".join(parts)


def _parts() -> Iterator[tuple[str, str]]:
    yield "Summary", "Facts, slowest layers, layers by type and precision, and notes about the data."
    for plug in sorted(_own(PARTS), key=lambda plug: plug.value.order):
        yield plug.value.title, _cell(plug.summary)


def _adding() -> Sequence[str]:
    return [
        "| what | command | entry point of other packages |\n| --- | --- | --- |",
        f"| a chart | `python utils/new.py chart NAME` ([charts.md](charts.md)) | `{CHARTS.entry_point_group}` |",
        f"| a part | `python utils/new.py part NAME` | `{PARTS.entry_point_group}` |",
        f"| a format | `python utils/new.py report-format NAME` | `{FORMATS.entry_point_group}` |",
    ]


def _own(registry: Registry) -> list[Plug]:
    return [registry.load(name) for name in registry.names]


def _chart_row(plug: Plug) -> str:
    mark = " ●" if plug.value.is_classic else ""
    return f"| {_cell(plug.value.title)}{mark} | `{plug.name}` | {_cell(explanation(plug))} |"


def _below(doc: str) -> str:
    """A docstring without its first paragraph."""
    return doc.partition("\n\n")[2].strip().replace("``", "`")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("``", "`").replace("|", "\\|")
