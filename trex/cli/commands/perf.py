"""What the numbers mean: work, roofline, time and memory of an engine, and where time could be saved.

PATH is any one of the engine's files, their common stem, a folder, a .tea archive, or example:NAME. The GPU is the one
that the engine's files name; --device says another, or one where they name none (trex devices lists them). The formulas
and their sources are in docs/performance.md; --explain shows them with this engine's numbers.

examples:
  trex perf example:resnet18-fp16
  trex perf out/ --section roofline --explain
  trex perf out/ --device A100 --top 20
  trex perf out/ --onnx model.onnx --shapes max
  trex perf out/ --json > performance.json
  trex perf out/ -o performance.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.cli.command import Command
from trex.core.options import count, option

if TYPE_CHECKING:
    from trex.perf.device import Device


# What people call sections by their titles.
_OTHER_NAMES = {"kernels": "tactics"}


def _sections() -> Sequence[str]:
    from trex.views.performance.section import SECTIONS

    return (*SECTIONS.known_names, *_OTHER_NAMES)


@dataclass(frozen=True)
class Options:
    path: str = option(help="any file of the engine, a stem, a folder, a .tea archive, or example:NAME")
    section: tuple[str, ...] = option(
        (), "only these sections (default: all)", flags=("-s",), choices=_sections, metavar="NAME", many=True
    )
    device: str = option("", "the GPU, by name, or a file of trex devices (default: as reported)", metavar="NAME")
    onnx: str = option(
        "", "the ONNX model the engine was built from: work of fused layers comes from its operators", metavar="FILE"
    )
    shapes: str = option(
        "", "evaluate dynamic dimensions at these shapes of the optimization profile", choices=("min", "opt", "max")
    )
    top: int = option(10, "how many rows of each ranking", flags=("-n",), metavar="N", convert=count)
    explain: bool = option(False, "show how each figure comes about", flags=("-e",))
    profiling_json: str = option(
        "",
        "the layer profile, when it is not beside the graph",
        flags=("-pj", "--profiling_json"),
        metavar="FILE",
    )
    profile_id: int = option(-1, "optimization profile to show (default: the first)", metavar="N", convert=count)
    json: bool = option(False, "print JSON (schema trex.perf/1)")
    output: str = option(
        "",
        "write to this file instead: JSON when it ends in .json, Markdown in .md, else text",
        flags=("-o",),
        metavar="FILE",
    )


def run(options: Options) -> int:
    from trex.cli import console
    from trex.cli.inputs import load_plan
    from trex.cli.reading import show_reading
    from trex.perf.performance import Performance
    from trex.views.performance.reading import read_performance
    from trex.views.performance.section import Detail

    device = _device(options.device)
    plan = load_plan(options.path, options.profiling_json, options.profile_id, options.onnx)
    if options.shapes:
        plan = plan.at_shapes(options.shapes)
    with console.patience("computing"):
        sections = tuple(dict.fromkeys(_OTHER_NAMES.get(name, name) for name in options.section))
        reading = read_performance(Performance(plan, device), Detail(options.top, options.explain), sections)
    show_reading(reading, options.output, as_json=options.json, bars=True)
    console.warn(plan.notes)
    return 0


def _device(name: str) -> Device | None:
    if not name:
        return None
    from trex.perf.recognize import find_device

    return find_device(name)


COMMAND = Command(Options, run)
