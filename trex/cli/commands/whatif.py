"""Predict latency on other GPUs, at other batch sizes, or with more quantizers, with error bars.

Each row is a simulated build of the ONNX model; nothing is built or measured. Error bars come from validation on real
engines (`trex validate`). Changes to the model are tried in memory: no file changes. Accuracy is not predicted.

examples:
  trex whatif model.onnx fp16 --device A100 L4 H100
  trex whatif model.onnx fp16 --device A100 --batch 1 8 32
  trex whatif qat.onnx int8 fp16 --device A100 --quantize-residuals --quantize-pooling
  trex whatif model.onnx int8 fp16 --device "Orin NX 16GB" --quantize --json
"""

from __future__ import annotations

import dataclasses
from functools import cache
from pathlib import Path
from typing import Any

from trex.cli import console
from trex.cli.command import Command
from trex.cli.output import OutputOptions
from trex.core.errors import TrexError
from trex.core.options import count, option
from trex.core.provenance import Provenance
from trex.core.steps import in_steps
from trex.views.document import Document


@dataclasses.dataclass(frozen=True, kw_only=True)
class WhatIfOptions(OutputOptions):
    model: str = option(help="ONNX model", metavar="MODEL")
    words: tuple[str, ...] = option(
        (), "trtexec's build options: int8 fp16 shapes=x:1x3x224x224", many=True, positional=True, metavar="TRTEXEC"
    )
    device: tuple[str, ...] = option((), "GPUs, by name or device file", metavar="NAME", many=True)
    batch: tuple[str, ...] = option((), "batch sizes (default: from the shapes)", metavar="N", many=True)
    as_release: str = option("", "TensorRT release, 8.4 to 11.1 (default: 10.4)", metavar="VERSION")
    no_cuda_graph: bool = option(False, "launch kernels one by one, without a CUDA graph")


@cache
def options_of_whatif() -> type:
    """The options above, and a switch for each change that a model can be given."""
    from trex.simulator.model_edit import EDITS

    switches: list[Any] = [
        (plug.name.replace("-", "_"), bool, option(False, f"change the model: {plug.value.title}"))
        for plug in EDITS.values()
    ]
    return dataclasses.make_dataclass("WhatIfChoices", switches, bases=(WhatIfOptions,), frozen=True, kw_only=True)


def run(options: Any) -> Document:
    from trex.capture.simulated_request import simulated_request
    from trex.perf.recognize import find_device
    from trex.simulator.model_edit import EDITS
    from trex.simulator.what_if import what_if_notes, what_if_results, what_if_rows
    from trex.views.predictions import predictions_document

    if Path(options.model).is_dir():
        hint = "name the ONNX model that the engine was built from: trex whatif MODEL.onnx --device NAME"
        raise TrexError("a prediction needs an ONNX model; this is a folder", hint, options.model)
    names = _split(options.device)
    words = (*options.words, "noCudaGraph") if options.no_cuda_graph else options.words
    request = simulated_request(options.model, words, names[0] if names else "", options.as_release)
    devices = [find_device(name) for name in names]
    batches: list[int | None] = [*map(_batch, _split(options.batch))] or [None]
    edits = [plug for plug in EDITS.values() if getattr(options, plug.name.replace("-", "_"))]
    total = len(devices) * len(batches) * (2 if edits else 1)
    with console.patience("predicting"):
        outcomes = what_if_results(options.model, request.target, devices, batches, edits)
        results = list(in_steps("prediction", outcomes, total))
    if all(outcome.simulation is None for outcome in results):
        reasons = "; ".join(dict.fromkeys(outcome.reason for outcome in results if outcome.reason))
        raise TrexError("no prediction is possible", reasons)
    notes = (*request.notes, *what_if_notes(results))
    return predictions_document(options.model, Provenance.SIMULATED.statement, what_if_rows(results), notes)


def _split(texts: tuple[str, ...]) -> list[str]:
    """``A100,L4 H100`` as people write lists: with commas, spaces or both."""
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


def _batch(text: str) -> int:
    try:
        size = count(text)
    except ValueError:
        size = 0
    if size < 1:
        raise TrexError(f"{text!r} is not a batch size", "whole numbers from 1: --batch 1,8,32")
    return size


COMMAND = Command(options_of_whatif, run)
