"""Explain how the simulated builder turns an ONNX model into layers: what each pass fused, moved or kept, and why.

Nothing is built. The rules are NVIDIA's documented ones; each pass names its source. Decisions that differ only in
names are shown once; --all shows each, as --json does. --operator follows one ONNX node through the passes.

examples:
  trex explain-build model.onnx --device A100 fp16
  trex explain-build model.onnx --device A100 int8 fp16 --operator "QuantizeLinear*"
  trex explain-build model.onnx --device L4 fp16 shapes=x:8x3x224x224 --json
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from trex.cli import console
from trex.cli.command import Command
from trex.cli.output import OutputOptions
from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.options import option
from trex.views.document import Document, Section, Text

if TYPE_CHECKING:
    from trex.simulator.draft import Decision
    from trex.simulator.simulation import Simulation

_MOST_SHOWN = 2
"""Similar decisions that are shown one by one."""
_NAMES = re.compile(r"(?<!\S)\S*[\d/]\S*(?: [+,] \S*[\d/]\S*)*")
"""Words with digits or slashes, like names of nodes, and lists of them."""


@dataclass(frozen=True, kw_only=True)
class ExplainBuildOptions(OutputOptions):
    model: str = option(help="ONNX model", metavar="MODEL")
    words: tuple[str, ...] = option(
        (), "trtexec's build options: int8 fp16 shapes=x:1x3x224x224", many=True, positional=True, metavar="TRTEXEC"
    )
    device: str = option("", "GPU to predict for, by name or device file", metavar="NAME")
    as_release: str = option("", "TensorRT release, 8.4 to 11.1 (default: 10.4)", metavar="VERSION")
    operator: str = option("", "only decisions on ONNX nodes of this name", metavar="GLOB")
    all: bool = option(False, "show similar decisions one by one")


def run(options: ExplainBuildOptions) -> Document:
    from trex.capture.simulated_request import simulated_request
    from trex.simulator.simulation import simulate

    request = simulated_request(options.model, options.words, options.device, options.as_release)
    with console.patience("predicting the engine"):
        simulation = simulate(options.model, request.target)
    notes = (*request.notes, *simulation.notes)
    return build_document(simulation, options.operator, notes, shows_all=options.all)


def build_document(
    simulation: Simulation, operator: str = "", notes: Sequence[Note] = (), *, shows_all: bool = False
) -> Document:
    """One section per pass that decided something. Raises TrexError when the model has no node called ``operator``."""
    from trex.simulator.builder import passes_in_order

    decisions = _chosen(simulation, operator)
    operators = counted(len(simulation.draft.model.operators), "operator")
    idle = [plug.value.title for plug in passes_in_order() if all(item.by != plug.name for item in decisions)]
    layers = [
        {"name": layer["Name"], "type": layer["LayerType"], "operators": list(step.origins)}
        for layer, step in zip(simulation.engine.graph["Layers"], simulation.draft.steps, strict=True)
    ]
    data = {"decisions": [asdict(item) for item in decisions], "layers": layers}
    head = Section("build", "", (Text((f"{operators} → {counted(len(simulation.draft.steps), 'layer')}",)),), data=data)
    sections = [head, *_passes(decisions, shows_all)]
    if idle:
        sections.append(Section("idle", "", (Text((f"No decisions: {', '.join(idle)}.",)),)))
    title, statement = simulation.engine.model, simulation.engine.statement
    return Document("explain-build", title, statement, tuple(sections), tuple(notes), source=simulation)


def _passes(decisions: Sequence[Decision], shows_all: bool) -> Iterator[Section]:
    from trex.simulator.builder import passes_in_order

    for plug in passes_in_order():
        own = [item for item in decisions if item.by == plug.name]
        if own:
            lines = [line for group in _similar(own) for line in _lines(group, shows_all)]
            yield Section(plug.name, f"{plug.value.title} ({plug.name})", (Text((plug.summary, *lines)),))


def _lines(group: Sequence[Decision], shows_all: bool) -> Iterator[str]:
    """Similar decisions: all of few, the first of many."""
    shown = group if shows_all or len(group) <= _MOST_SHOWN else group[:1]
    why = ""
    for item in shown:
        yield f"· {item.what}"
        if item.why != why:
            yield f"  because {item.why}"
        why = item.why
    if len(shown) < len(group):
        yield f"  … {len(group) - len(shown):,} similar: --all"


def _chosen(simulation: Simulation, glob: str) -> list[Decision]:
    """Decisions on the ONNX nodes of that name."""
    decisions = simulation.draft.decisions
    if not glob:
        return list(decisions)
    if not any(fnmatchcase(operator.name, glob) for operator in simulation.draft.model.operators):
        raise TrexError(f"the model has no node called {glob!r}", "the name may contain *; quote it")
    return [item for item in decisions if any(fnmatchcase(name, glob) for name in item.operators)]


def _similar(decisions: Sequence[Decision]) -> list[list[Decision]]:
    """Decisions in groups that differ only in names, in the order of the first of each."""
    groups: dict[tuple[str, str], list[Decision]] = {}
    for item in decisions:
        groups.setdefault((_NAMES.sub("…", item.what), _NAMES.sub("…", item.why)), []).append(item)
    return list(groups.values())


COMMAND = Command(ExplainBuildOptions, run)
