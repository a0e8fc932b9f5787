"""Facts of an engine: what it is, where its time goes, and what to keep in mind.

PATH is any one of the engine's files, their common stem, a folder, a .tea archive, or example:NAME.

examples:
  trex summary out/resnet.engine.graph.json
  trex summary example:resnet18-int8 --svg resnet18.svg
  trex summary out/ --group-tactics --sort-key latency
  trex summary out/ --json > facts.json
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command
from trex.core.options import count, option


@dataclass(frozen=True)
class Options:
    path: str = option(help="any file of the engine, a stem, a folder, a .tea archive, or example:NAME")
    top: int = option(10, "how many of the slowest layers to list", flags=("-n",), metavar="N", convert=count)
    group_tactics: bool = option(False, "add a table of tactics, one row each", flags=("-gt", "--group_tactics"))
    sort_key: str = option(
        "", "show tactics ordered by this key", flags=("-sk", "--sort_key"), choices=("count", "latency", "id")
    )
    svg: str = option("", "also draw the engine graph into this file", metavar="FILE")
    profiling_json: str = option(
        "",
        "the layer profile, when it is not beside the graph",
        flags=("-pj", "--profiling_json"),
        metavar="FILE",
    )
    profile_id: int = option(-1, "optimization profile to show (default: the first)", metavar="N", convert=count)
    json: bool = option(False, "print JSON (schema trex.summary/1)")
    output: str = option("", "write to this file instead; JSON when it ends in .json", flags=("-o",), metavar="FILE")


def run(options: Options) -> int:
    from trex.cli import console
    from trex.cli.inputs import load_plan
    from trex.export.text import summary_lines, summary_text
    from trex.views.summary import summarize, tactics_table

    plan = load_plan(options.path, options.profiling_json, options.profile_id)
    summary = summarize(plan, options.top)
    if options.group_tactics or options.sort_key:
        table = tactics_table(plan, options.sort_key or "count", options.group_tactics)
        summary = summary.with_table(table)
    as_json = options.json or options.output.lower().endswith(".json")
    if options.output:
        from trex.export.files import write_file
        from trex.export.frame import json_text

        text = json_text(summary.as_dict(), indent=1) + "\n" if as_json else summary_text(summary)
        console.say(str(write_file(options.output, text)))
    elif as_json:
        console.show_json(summary.as_dict())
    else:
        console.show(summary_lines(summary, console.width(), bars=console.is_rich()))
    if options.svg:
        from trex.cli.picture import draw

        written = draw(plan, options.svg)
        if not as_json:
            console.say(f"\nthe engine graph is drawn in {written}" if not options.output else str(written))
    return 0


COMMAND = Command(Options, run)
