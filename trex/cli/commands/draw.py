"""The engine graph as an SVG picture; needs no other program.

The picture goes into the current folder, as ENGINE.svg, unless --output names another place; - is standard output.

examples:
  trex draw out/
  trex draw example:resnet18-int8 --output resnet18.svg
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
        "svg", "svg (png and dot come with a later version)", flags=("-of", "--output_format"), metavar="FORMAT"
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
    from trex.cli.picture import STDOUT, check_format, draw

    check_format(options.output_format.lower())
    plan = load_plan(options.path, options.profiling_json, options.profile_id)
    written = draw(plan, options.output or f"{Path(plan.name).name or 'engine'}.svg")
    if written != STDOUT:
        console.say(written)
    console.warn(plan.notes)
    return 0


COMMAND = Command(Options, run)
