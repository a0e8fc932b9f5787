"""How the simulated builder gets from an ONNX model to layers: every pass, what it fused, moved or kept apart, and why.

Nothing is built: the rules are NVIDIA's documented ones as far as they are published, and each pass names its source.
Decisions that differ in nothing but names are told by the first of them; --all tells each, as --json does. With
--operator, the way of one ONNX node through the passes, such as of a QuantizeLinear.

examples:
  trex explain-build model.onnx --device A100 fp16
  trex explain-build model.onnx --device A100 int8 fp16 --operator "QuantizeLinear*"
  trex explain-build model.onnx --device L4 fp16 shapes=x:8x3x224x224 --json
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trex.cli.command import Command
from trex.core.options import option

if TYPE_CHECKING:
    from trex.simulator.draft import Decision
    from trex.simulator.simulation import Simulation

SCHEMA = "trex.explain-build/1"
_MOST_TOLD = 2
"""So many alike decisions are told one by one."""
_NAMES = re.compile(r"\S*[\d/]\S*(?: [+,] \S*[\d/]\S*)*")
"""Words with digits or slashes, as names of nodes have, and lists of them."""


@dataclass(frozen=True)
class Options:
    model: str = option(help="ONNX model", metavar="INPUT")
    words: tuple[str, ...] = option(
        (),
        "options as for trtexec: int8 fp16 shapes=x:1x3x224x224",
        many=True,
        positional=True,
        metavar="TRTEXEC",
    )
    device: str = option("", "GPU to predict for, by name or a file of trex devices", metavar="NAME")
    as_release: str = option("", "TensorRT to predict, 8.4 to 11.1 (default: 10.4)", metavar="VERSION")
    operator: str = option("", "only decisions on ONNX nodes of this name", metavar="GLOB")
    all: bool = option(False, "tell decisions that differ in nothing but names one by one")
    json: bool = option(False, f"print JSON (schema {SCHEMA})")


def run(options: Options) -> int:
    from trex.capture.options import CaptureOptions
    from trex.capture.simulated_request import request_of
    from trex.cli import console
    from trex.simulator.simulation import simulate

    request = request_of(
        CaptureOptions(
            options.model,
            "",
            tuple(options.words),
            backend="simulated",
            device=options.device,
            as_release=options.as_release,
        )
    )
    with console.patience("predicting the engine"):
        simulation = simulate(options.model, request.target)
    decisions = _chosen(simulation, options.operator)
    if options.json:
        console.show_json(_document(simulation, decisions))
    else:
        for line in _lines(simulation, decisions, options):
            console.say(line)
    console.warn((*request.notes, *simulation.notes))
    return 0


def _chosen(simulation: Simulation, glob: str) -> list[Decision]:
    """Decisions on the ONNX nodes asked for. Raises TrexError where the model has none of that name."""
    from fnmatch import fnmatchcase

    from trex.core.errors import TrexError

    decisions = simulation.draft.decisions
    if not glob:
        return list(decisions)
    if not any(fnmatchcase(operator.name, glob) for operator in simulation.draft.model.operators):
        raise TrexError(f"the model has no node called {glob!r}", "the name may have * in it; mind the quotes")
    return [each for each in decisions if any(fnmatchcase(name, glob) for name in each.operators)]


def _document(simulation: Simulation, decisions: list[Decision]) -> dict[str, Any]:
    from dataclasses import asdict

    from trex.simulator.builder import passes_in_order

    return {
        "schema": SCHEMA,
        "statement": simulation.engine.statement,
        "passes": [{"name": plug.name, "title": plug.value.title, "what": plug.summary} for plug in passes_in_order()],
        "decisions": [asdict(each) for each in decisions],
        "layers": [
            {"name": layer["Name"], "type": layer["LayerType"], "operators": list(step.origins)}
            for layer, step in zip(simulation.engine.graph["Layers"], simulation.draft.steps, strict=True)
        ],
    }


def _lines(simulation: Simulation, decisions: list[Decision], options: Options) -> Iterator[str]:
    from trex.core.counted import counted
    from trex.core.printable import printable
    from trex.simulator.builder import passes_in_order

    yield simulation.engine.statement
    operators = counted(len(simulation.draft.model.operators), "operator")
    yield f"{operators} become {counted(len(simulation.draft.steps), 'layer')}"
    by_pass: dict[str, list[Decision]] = {}
    for each in decisions:
        by_pass.setdefault(each.by, []).append(each)
    idle, is_folded = [], False
    for plug in passes_in_order():
        found = by_pass.get(plug.name)
        if not found:
            idle.append(plug.value.title)
            continue
        yield ""
        yield f"{plug.value.title} ({plug.name}): {plug.summary}"
        why = ""
        for alike in [[each] for each in found] if options.all else _alike(found):
            told = alike if len(alike) <= _MOST_TOLD else alike[:1]
            for each in told:
                yield f"  · {printable(each.what)}"
                if each.why != why:
                    yield f"    because {printable(each.why)}"
                why = each.why
            if len(told) < len(alike):
                yield f"    … and {len(alike) - len(told):,} alike"
                is_folded = True
    if is_folded:
        yield ""
        yield "Alike is what differs in nothing but names and numbers; --all tells each."
    if idle:
        yield ""
        did = "decided nothing about it" if options.operator else "found nothing to do"
        yield f"Passes that {did}: {', '.join(idle)}"


def _alike(decisions: list[Decision]) -> list[list[Decision]]:
    """The decisions, those together that say the same of other nodes, in the order of the first of each."""
    found: dict[tuple[str, str], list[Decision]] = {}
    for each in decisions:
        found.setdefault((_NAMES.sub("…", each.what), _NAMES.sub("…", each.why)), []).append(each)
    return list(found.values())


COMMAND = Command(Options, run)
