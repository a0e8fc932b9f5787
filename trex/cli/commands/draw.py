"""The engine graph as a picture (SVG) or as a page to move about in (HTML); needs no other program.

The ending of the file decides on the format. Without --output it goes into the current folder, as ENGINE.svg; - is
standard output. The page works offline: pan, zoom, search, facts of every layer, a table, colours by choice.

examples:
  trex draw out/
  trex draw example:resnet18-int8 --output resnet18.svg
  trex draw example:resnet18-int8 --output resnet18.html
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command
from trex.core.options import count, option


@dataclass(frozen=True)
class Options:
    path: str = option(help="any file of the engine, a stem, a folder, a .tea archive, or example:NAME")
    output: str = option(
        "", "file to write (default: the engine's name with .svg, here)", flags=("-o",), metavar="FILE"
    )
    output_format: str = option(
        "",
        "svg, html … (default: what the ending of --output says, else svg)",
        flags=("-of", "--output_format"),
        metavar="FORMAT",
    )
    profiling_json: str = option(
        "",
        "the layer profile, when it is not beside the graph",
        flags=("-pj", "--profiling_json"),
        metavar="FILE",
    )
    profile_id: int = option(-1, "optimization profile to show (default: the first)", metavar="N", convert=count)


def run(options: Options) -> int:
    from pathlib import Path

    from trex.cli import console
    from trex.cli.inputs import load_plan
    from trex.cli.picture import STDOUT, check_format, default_ending, draw

    name = check_format(options.output, options.output_format)
    plan = load_plan(options.path, options.profiling_json, options.profile_id)
    written = draw(plan, options.output or f"{Path(plan.name).name or 'engine'}{default_ending(name)}", name)
    if written != STDOUT:
        console.say(written)
    console.warn(plan.notes)
    return 0


COMMAND = Command(Options, run)
