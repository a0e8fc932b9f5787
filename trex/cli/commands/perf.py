"""Work, roofline, time and memory of an engine: what bounds it and where time could be saved.

The GPU is the one that the engine's files name; --device chooses another (trex devices lists them). --explain shows
the formulas of the roofline with this engine's numbers.

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
from trex.cli.inputs import DEVICE_HELP, EngineOptions
from trex.cli.output import OutputOptions
from trex.core.options import count, option

if TYPE_CHECKING:
    from trex.perf.device import Device
    from trex.views.document import Document

# What people call a section by its title.
_OTHER_NAMES = {"kernels": "tactics"}


def _sections() -> Sequence[str]:
    from trex.views.performance.document import SECTIONS

    return (*SECTIONS.known_names, *_OTHER_NAMES)


@dataclass(frozen=True, kw_only=True)
class PerfOptions(EngineOptions, OutputOptions):
    section: tuple[str, ...] = option(
        (), "only these sections (default: all)", flags=("-s",), choices=_sections, metavar="NAME", many=True
    )
    device: str = option("", DEVICE_HELP, metavar="NAME")
    onnx: str = option("", "the ONNX model: work of fused layers from its operators", metavar="FILE")
    shapes: str = option("", "evaluate dynamic dimensions at these shapes", choices=("min", "opt", "max"))
    top: int = option(10, "rows of each ranking", flags=("-n",), metavar="N", convert=count)
    explain: bool = option(False, "show how the roofline of each layer is computed", flags=("-e",))


def run(options: PerfOptions) -> int:
    from trex.cli import console
    from trex.cli.inputs import plan_of
    from trex.cli.output import check_output, show_document
    from trex.perf.performance import Performance
    from trex.views.document import Detail
    from trex.views.performance.document import performance_document

    name = check_output(options, "perf")
    device = _device(options.device)
    plan = plan_of(options, options.onnx)
    if options.shapes:
        plan = plan.at_shapes(options.shapes)
    with console.patience("computing"):
        names = tuple(dict.fromkeys(_OTHER_NAMES.get(name, name) for name in options.section))
        document = performance_document(Performance(plan, device), Detail(options.top, options.explain), names)
    show_document(document if name or names or options.verbose else _headlines(document), options)
    return 0


def _headlines(document: Document) -> Document:
    """One line per section, for one screen."""
    from dataclasses import replace

    from trex.views.document import Section, Text

    more = Text(("All sections: add -v. One section: --section roofline",), "hint")
    return replace(document, sections=(document.section("headlines"), Section("more", "", (more,))))


def _device(name: str) -> Device | None:
    if not name:
        return None
    from trex.perf.recognize import find_device

    return find_device(name)


COMMAND = Command(PerfOptions, run)
