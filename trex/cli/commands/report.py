"""The report card of an engine: facts, charts, graph and layers, as one offline page or in other formats.

PATH is any one of the engine's files, their common stem, a folder, a .tea archive, or example:NAME. Without --output,
facts and sentences are printed. The ending of the output chooses the format. Findings are those of trex lint, under the
same settings: the nearest trex.toml or pyproject.toml.

examples:
  trex report example:resnet18-int8
  trex report out/ -o report.html
  trex report out/ -o report.html --redact
  trex report out/ -o report.xlsx
  trex report out/ --device A100 -o report.md
  trex report out/ --json > report.json
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trex.cli.command import Command
from trex.core.options import count, option


def _formats() -> Sequence[str]:
    from trex.export.report import FORMATS

    return FORMATS.known_names


@dataclass(frozen=True)
class Options:
    path: str = option(help="any file of the engine, a stem, a folder, a .tea archive, or example:NAME")
    output: str = option("", "write to this file; its ending chooses the format", flags=("-o",), metavar="FILE")
    format: str = option("", "how to write it (default: by the ending)", flags=("-f",), choices=_formats)
    device: str = option("", "the GPU, by name, or a file of trex devices (default: as reported)", metavar="NAME")
    top: int = option(10, "how many of the slowest layers to list", flags=("-n",), metavar="N", convert=count)
    colors: str = option(
        "familiar",
        "colors of charts: the familiar ones, or a set made for color-blind readers",
        choices=("familiar", "safe"),
    )
    config: str = option(
        "", "settings of the findings (default: the nearest trex.toml or pyproject.toml)", metavar="FILE"
    )
    redact: bool = option(False, "leave out the names of the model, its layers, tensors and files")
    profiling_json: str = option(
        "",
        "the layer profile, when it is not beside the graph",
        flags=("-pj", "--profiling_json"),
        metavar="FILE",
    )
    profile_id: int = option(-1, "optimization profile to show (default: the first)", metavar="N", convert=count)
    json: bool = option(False, "print JSON (schema trex.report/1)")


def run(options: Options) -> int:
    import sys

    from trex.cli import console
    from trex.cli.inputs import load_plan
    from trex.cli.settings import lint_settings
    from trex.core.collector import collector_paused
    from trex.core.errors import TrexError
    from trex.export.figures.look import Look
    from trex.export.report import FORMATS, ReportStyle, format_of, write_report
    from trex.export.reports.text import report_lines
    from trex.perf.recognize import find_device
    from trex.views.redaction import redacted, redacted_settings
    from trex.views.report.card import report_card

    name = options.format or ("json" if options.json else "")
    if options.output and not name:
        format_of(options.output)  # a wrong ending is told before any work
    chosen = FORMATS.chosen(name).value if name else None
    if chosen and not chosen.is_text and not options.output and console.is_terminal(sys.stdout):
        raise TrexError(f"{name} is not for reading on a terminal", "--output FILE, or > FILE")
    device = find_device(options.device) if options.device else None
    settings = lint_settings(options.config)
    plan = load_plan(options.path, options.profiling_json, options.profile_id)
    if options.redact:
        settings, plan = redacted_settings(settings, plan), redacted(plan)
    style = ReportStyle(Look(colors=options.colors))
    with console.patience("writing the report" if options.output else "computing"), collector_paused():
        report = report_card(plan, device, options.top, settings)
        if options.output:
            written = write_report(report, options.output, style, name)
        elif chosen:
            content = chosen.render(report, style)
    if options.output:
        console.say(str(written))
    elif chosen:
        console.write_bytes(content)
    else:
        console.show(report_lines(report, console.width(), bars=console.is_rich()))
        console.say("\nthe charts, the graph and all layers in one page: add -o report.html")
    return 0


COMMAND = Command(Options, run)
