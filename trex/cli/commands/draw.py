"""The engine graph as an SVG picture; needs no other program.

The picture goes beside nothing of yours unless you say so: by default ENGINE.svg in the current folder.

examples:
  trex draw out/
  trex draw example:resnet18-int8 --output resnet18.svg
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command
from trex.core.options import option


@dataclass(frozen=True)
class Options:
    path: str = option(help="any file of the engine, a stem, a folder, a .tea archive, or example:NAME")
    output: str = option(
        "", "file to write (default: the engine's name with .svg, here)", flags=("-o",), metavar="FILE"
    )
    profiling_json: str = option(
        "", "the layer profile, when it is not beside the graph", flags=("-pj", "--profiling_json")
    )
    profile_id: int = option(-1, "optimization profile to show (default: the first)", metavar="N")


def run(options: Options) -> int:
    from pathlib import Path

    from trex.cli import console
    from trex.cli.inputs import load_plan
    from trex.export.svg import write_svg
    from trex.graph.build import build_graph
    from trex.views.diagram.scene import build_scene

    plan = load_plan(options.path, options.profiling_json, options.profile_id)
    path = options.output or f"{Path(plan.name).name}.svg"
    console.say(str(write_svg(build_scene(build_graph(plan), plan), path)))
    return 0


COMMAND = Command(Options, run)
