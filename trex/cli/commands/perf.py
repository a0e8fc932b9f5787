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
from dataclasses import dataclass, replace

from trex.cli import console
from trex.cli.command import Command
from trex.cli.inputs import DEVICE_HELP, EngineOptions, named_device, plan_of
from trex.cli.output import OutputOptions
from trex.core.options import count, option
from trex.views.document import Detail, Document, Section, Text

# What people call a section by its title.
_OTHER_NAMES = {"kernels": "tactics"}


def _sections() -> Sequence[str]:
    from trex.views.perf.document import SECTIONS

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


def run(options: PerfOptions) -> Document:
    from trex.perf.performance import Performance
    from trex.views.perf.document import performance_document

    device = named_device(options.device)
    plan = plan_of(options, options.onnx)
    if options.shapes:
        plan = plan.at_shapes(options.shapes)
    with console.patience("computing"):
        names = tuple(dict.fromkeys(_OTHER_NAMES.get(name, name) for name in options.section))
        document = performance_document(Performance(plan, device), Detail(options.top, options.explain), names)
    return document if names or options.shows_all else _headlines(document)


def _headlines(document: Document) -> Document:
    """One line per section, for one screen."""
    more = Text(("All sections: add -v. One section: --section roofline",), "hint")
    return replace(document, sections=(document.section("headlines"), Section("more", "", (more,))))


COMMAND = Command(PerfOptions, run)
