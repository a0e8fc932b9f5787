"""The report card of an engine: facts, findings, charts, graph and layers, as one offline page or in another format.

Without --output, facts and sentences are printed. Findings are those of trex lint, under the same settings: the nearest
trex.toml or pyproject.toml.

examples:
  trex report example:resnet18-int8
  trex report out/ -o report.html
  trex report out/ -o report.html --redact
  trex report out/ -o report.xlsx
  trex report out/ --device A100 -o report.md
  trex report out/ --json > report.json
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trex.cli import console
from trex.cli.command import Command
from trex.cli.inputs import DEVICE_HELP, EngineOptions, named_device, plan_of
from trex.cli.output import OutputOptions
from trex.cli.settings import lint_settings
from trex.core.collector import collector_paused
from trex.core.options import count, option
from trex.views.document import Document, Section, Text

if TYPE_CHECKING:
    from trex.export.figures.look import Look


@dataclass(frozen=True, kw_only=True)
class ReportOptions(EngineOptions, OutputOptions):
    device: str = option("", DEVICE_HELP, metavar="NAME")
    top: int = option(10, "how many of the slowest layers to list", flags=("-n",), metavar="N", convert=count)
    colors: str = option("familiar", "colors of charts; safe: for color-blind readers", choices=("familiar", "safe"))
    config: str = option("", "settings of lint (default: the nearest trex.toml or pyproject.toml)", metavar="FILE")
    redact: bool = option(False, "leave out the names of the model, its layers, tensors and files")

    @property
    def look(self) -> Look:
        from trex.export.figures.look import Look

        return Look(colors=self.colors)


def run(options: ReportOptions) -> Document:
    from trex.views.redaction import redacted, redacted_settings
    from trex.views.report.document import report_document

    device = named_device(options.device)
    settings = lint_settings(options.config)
    plan = plan_of(options)
    if options.redact:
        settings, plan = redacted_settings(settings, plan), redacted(plan)
    with console.patience("linting"), collector_paused():
        document = report_document(plan, device, options.top, settings)
    if not options.is_for_reading:
        return document
    more = Text(("Charts, the graph and all layers on one page: add -o report.html",), "hint")
    return replace(document, sections=(*document.sections, Section("more", "", (more,))))


COMMAND = Command(ReportOptions, run)
