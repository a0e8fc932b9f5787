"""What an engine is, where its time goes, its slowest layers and the top findings of trex lint.

examples:
  trex summary out/
  trex summary out/ -v
  trex summary example:resnet18-int8 --svg resnet18.svg
  trex summary out/ --group-tactics --sort-key latency
  trex summary out/ --json > facts.json
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from trex.cli import console
from trex.cli.command import Command
from trex.cli.inputs import EngineOptions, plan_of
from trex.cli.output import OutputOptions
from trex.cli.settings import CONFIG_HELP, lint_settings
from trex.core.options import count, option
from trex.views.document import Document, Section


@dataclass(frozen=True, kw_only=True)
class SummaryOptions(EngineOptions, OutputOptions):
    top: int = option(5, "how many of the slowest layers to list", flags=("-n",), metavar="N", convert=count)
    group_tactics: bool = option(False, "add a table of tactics", flags=("-gt", "--group_tactics"))
    sort_key: str = option(
        "", "add a table of tactics in this order", flags=("-sk", "--sort_key"), choices=("count", "latency", "id")
    )
    config: str = option("", CONFIG_HELP, metavar="FILE")
    svg: str = option("", "also draw the engine graph into FILE", metavar="FILE")


def run(options: SummaryOptions) -> Document:
    from trex.cli.picture import draw
    from trex.rules.plan_lint import PlanLint
    from trex.views.summary import summary_document, tactics_table

    plan = plan_of(options)
    lint = PlanLint(plan, configuration=partial(lint_settings, options.config))
    with console.patience("linting"):
        document = summary_document(plan, options.top, lint.result)
    if options.group_tactics or options.sort_key:
        table = tactics_table(plan, options.sort_key or "count", options.group_tactics)
        document = replace(document, sections=(*document.sections, Section("tactics", "", (table,))))
    if options.svg:
        console.complain(f"picture: {draw(plan, options.svg, lint=lint)}")
    return document


COMMAND = Command(SummaryOptions, run)
