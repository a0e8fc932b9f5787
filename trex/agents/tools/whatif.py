"""Predict the latency of an ONNX model on GPUs, at batch sizes, or with more quantizers, with error bars.

Predictions, never measurements: quote the range from_ms to to_ms, not the middle alone, and do not choose between two
rows whose ranges overlap. Accuracy of the model is not predicted. Nothing is built, and no file changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.agents.session import Session, named_device
from trex.agents.tool import HEAD, Answer, Tool
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.options import option
from trex.core.printable import shell_line
from trex.core.provenance import Provenance

PRECISIONS = ("fp16", "bf16", "int8", "fp8", "best", "stronglyTyped")
MOST_PREDICTIONS = 24


@dataclass(frozen=True, kw_only=True)
class WhatIfArguments:
    model: str = option(help="ONNX file, relative to the root")
    device: tuple[str, ...] = option(help="GPUs by name: A100, L4, H100, RTX 4090", many=True)
    precisions: tuple[str, ...] = option((), "what the build may use apart from FP32", choices=PRECISIONS, many=True)
    batch: tuple[int | str, ...] = option((), "batch sizes (default: the model's)", many=True)
    shapes: str = option("", "shapes of open dimensions: input:1x3x224x224")
    changes: tuple[str, ...] = option((), "changes of the model to predict as well: quantize-residuals …", many=True)


def run(arguments: WhatIfArguments, session: Session) -> Answer:
    from trex.capture.simulated_request import simulated_request
    from trex.simulator.model_edit import EDITS
    from trex.simulator.what_if import what_if_results, what_if_rows
    from trex.views.predictions import predictions_document

    devices = [device for name in arguments.device if (device := named_device(name)) is not None]
    if not devices:
        raise TrexError("a prediction needs a GPU to predict for", "name one or more in device: A100, L4")
    batches: list[int | None] = [*map(_batch, arguments.batch)] or [None]
    edits = [EDITS.chosen(name) for name in arguments.changes]
    if len(devices) * len(batches) * (2 if edits else 1) > MOST_PREDICTIONS:
        raise TrexError(f"more than {MOST_PREDICTIONS} predictions in one call", "ask for fewer GPUs or batch sizes")
    shapes = (f"shapes={arguments.shapes}",) if arguments.shapes else ()
    model = session.path(arguments.model)
    words = (*arguments.precisions, *shapes)
    request = simulated_request(model, words, arguments.device[0])
    results = list(what_if_results(model, request.target, devices, batches, edits))
    notes = [Note("not-predicted", f"{one.device.name}: {one.reason}", "") for one in results if one.reason]
    document = predictions_document(
        arguments.model, Provenance.SIMULATED.statement, what_if_rows(results), (*request.notes, *notes)
    )
    line = ["trex", "whatif", arguments.model, *words, "--device", *arguments.device]
    line += ["--batch", *map(str, arguments.batch)] if arguments.batch else []
    line += [f"--{name}" for name in arguments.changes]
    return Answer(lambda rows: document, shell_line([*line, "--json"]), FIELDS, rows=MOST_PREDICTIONS)


FIELDS = (*HEAD, "sections.predictions.text", "sections.predictions.tables")


def _batch(value: int | str) -> int:
    text = str(value)
    if not text.isdecimal() or not 0 < int(text[:9]) < 10**8:
        raise TrexError(f"{text[:20]!r} is not a batch size", "whole numbers from 1")
    return int(text)


TOOL = Tool(WhatIfArguments, "whatif", run)
