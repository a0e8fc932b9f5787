"""What would it take on another GPU, at another batch, with more quantizers: predicted, with error bars.

Each row is a whole simulated build of the ONNX model; nothing is built or measured. The bars are from how far such
predictions missed real engines (`trex validate`). Changes to the model are tried on what is known of it: no file is
changed, and accuracy is another question.

examples:
  trex whatif model.onnx fp16 --device A100 L4 H100
  trex whatif model.onnx fp16 --device A100 --batch 1 8 32
  trex whatif qat.onnx int8 fp16 --device A100 --quantize-residuals --quantize-pooling
  trex whatif model.onnx int8 fp16 --device "Orin NX 16GB" --quantize --json
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import TYPE_CHECKING, Any

from trex.cli.command import Command
from trex.core.options import count, option

if TYPE_CHECKING:
    from trex.simulator.what_if import WhatIfResult

SCHEMA = "trex.whatif/1"


@dataclasses.dataclass(frozen=True)
class Options:
    model: str = option(help="ONNX model", metavar="INPUT")
    words: tuple[str, ...] = option(
        (),
        "options as for trtexec: int8 fp16 shapes=x:1x3x224x224",
        many=True,
        positional=True,
        metavar="TRTEXEC",
    )
    device: tuple[str, ...] = option(
        (), "GPUs to predict for, by name or files of trex devices", metavar="NAME", many=True
    )
    batch: tuple[str, ...] = option((), "batch sizes (default: as the shapes say)", metavar="N", many=True)
    as_release: str = option("", "TensorRT to predict, 8.4 to 11.1 (default: 10.4)", metavar="VERSION")
    no_cuda_graph: bool = option(False, "launch the kernels one by one, not as one CUDA graph")
    json: bool = option(False, f"print JSON (schema {SCHEMA})")


@cache
def options_of_whatif() -> type:
    """The options above, and a switch for each change that a model can be given."""
    from trex.simulator.model_edit import EDITS

    switches: list[Any] = [
        (plug.name.replace("-", "_"), bool, option(False, f"try it changed: {plug.value.title}"))
        for plug in EDITS.values()
    ]
    return dataclasses.make_dataclass("WhatIfOptions", switches, bases=(Options,), frozen=True)


def run(options: Any) -> int:
    from trex.capture.options import CaptureOptions
    from trex.capture.simulated_request import request_of
    from trex.cli import console
    from trex.core.errors import TrexError
    from trex.export.text_table import table_lines
    from trex.perf.recognize import find_device
    from trex.simulator.model_edit import EDITS
    from trex.simulator.what_if import what_if_results, what_if_rows
    from trex.views.predictions import ORIGIN, predictions_table

    names = _split(options.device)
    wanted = CaptureOptions(
        options.model,
        "",
        tuple(options.words),
        backend="simulated",
        device=names[0] if names else "",
        as_release=options.as_release,
    )
    request = request_of(wanted)
    devices = [find_device(name) for name in names]
    batches: list[int | None] = [*map(_batch, _split(options.batch))] or [None]
    edits = [plug for plug in EDITS.values() if getattr(options, plug.name.replace("-", "_"))]
    with console.patience("predicting"):
        found = list(
            what_if_results(
                options.model, request.target, devices, batches, edits, cuda_graph=not options.no_cuda_graph
            )
        )
    if options.json:
        console.show_json(_document(found))
    else:
        console.show(table_lines(predictions_table(what_if_rows(found)).for_people(), console.width()))
        console.say(ORIGIN)
        for each in found:
            if each.reason:
                console.complain(f"{each.device.name}, {each.model}: {each.reason}")
    console.warn(request.notes)
    if all(each.simulation is None for each in found):
        raise TrexError("nothing could be predicted", "the reasons are above")
    return 0


def _split(texts: tuple[str, ...]) -> list[str]:
    """``A100,L4 H100`` as people write lists: with commas, spaces or both."""
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


def _batch(text: str) -> int:
    from trex.core.errors import TrexError

    try:
        size = count(text)
    except ValueError:
        size = 0
    if size < 1:
        raise TrexError(f"{text!r} is no batch size", "write whole numbers from 1 up: --batch 1,8,32")
    return size


def _document(found: list[WhatIfResult]) -> dict[str, Any]:
    from trex.core.provenance import Provenance
    from trex.simulator.what_if import what_if_rows

    return {"schema": SCHEMA, "statement": Provenance.SIMULATED.statement, "what_if_results": what_if_rows(found)}


COMMAND = Command(options_of_whatif, run)
