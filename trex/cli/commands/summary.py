"""Facts of an engine: what it is, where its time goes, and what to keep in mind.

PATH is any one of the engine's files, their common stem, a folder, a .tea archive, or example:NAME.

examples:
  trex summary out/resnet.engine.graph.json
  trex summary example:transformer-fp16 --json
  trex summary out/ --group-tactics --sort-key latency
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command
from trex.core.options import option


@dataclass(frozen=True)
class Options:
    path: str = option(help="any file of the engine, a stem, a folder, a .tea archive, or example:NAME")
    top: int = option(10, "how many of the slowest layers to list", flags=("-n",))
    group_tactics: bool = option(False, "add a table of tactics, one row each", flags=("-gt", "--group_tactics"))
    sort_key: str = option(
        "", "show tactics ordered by this key", flags=("-sk", "--sort_key"), choices=("count", "latency", "id")
    )
    profiling_json: str = option(
        "", "the layer profile, when it is not beside the graph", flags=("-pj", "--profiling_json")
    )
    profile_id: int = option(-1, "optimization profile to show (default: the first)", metavar="N")
    json: bool = option(False, "print JSON (schema trex.summary/1)")


def run(options: Options) -> int:
    from trex.cli import console
    from trex.cli.inputs import load_plan
    from trex.views.summary import summarise, tactics_table

    plan = load_plan(options.path, options.profiling_json, options.profile_id)
    summary = summarise(plan, options.top)
    if options.group_tactics or options.sort_key:
        table = tactics_table(plan, options.sort_key or "count", options.group_tactics)
        summary = summary.with_table(table)
    if options.json:
        console.show_json(summary.as_dict())
    else:
        console.show_summary(summary)
    return 0


COMMAND = Command(Options, run)
