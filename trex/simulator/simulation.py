"""ONNX file and Target → Simulation: the predicted engine, its layers' times, and every decision of the builder."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from trex.core.collector import collector_paused
from trex.core.errors import TrexError
from trex.core.model import Model
from trex.core.note import Note
from trex.core.operator import Value
from trex.core.shape import Shape, is_static, shape_text, volume
from trex.core.significant import significant
from trex.ingest.onnx_model import read_model
from trex.perf.device import Device
from trex.plan.unknown_work import unknown_work_record
from trex.simulator.builder import build
from trex.simulator.draft import BuildStep, Decision, NetworkDraft
from trex.simulator.engine_file import SimulatedEngine
from trex.simulator.engine_json import engine_document
from trex.simulator.kernel_times import KernelTimes, kernel_times
from trex.simulator.target import Target
from trex.simulator.timing.prediction import Inference, inference_of

_DECISION = tuple(field.name for field in fields(Decision))
MOST_EDGES = 200_000
"""What all operators read. Large language models have some 30,000; to draw one takes about 5 KB."""

_GB = re.compile(r"\b(\d{1,3})GB?\b")
"""The memory in a GPU's name: A100-SXM4-80GB."""
_MOST_GIB = 300.0
"""More than any GPU has (GB300: 288 GB), for those whose memory is not known."""


@dataclass(frozen=True)
class Simulation:
    """draft: after all passes. times: of its steps and their kernels. inference: of one query.

    engine: as ``trex process`` writes it. notes: what the model's reader and the passes did not understand.
    """

    draft: NetworkDraft
    times: KernelTimes
    inference: Inference
    engine: SimulatedEngine
    notes: tuple[Note, ...] = ()


def simulate(model: str, target: Target, *, model_sha256: str = "") -> Simulation:
    """The engine that TensorRT is predicted to build from an ONNX file; its weights are never read. As
    ``simulate_model``.

    Raises TrexError for a file that is no ONNX model, and for shapes that do not fit it.
    """
    read = read_model(model, {name: tuple(shape) for name, shape in target.shapes.items()})
    return simulate_model(read, target, model_sha256=model_sha256)


def simulate_model(read: Model, target: Target, *, model_sha256: str = "") -> Simulation:
    """Raises TrexError for open dimensions, an empty network, and a device of unknown rates."""
    _require_static(read.inputs, target.shapes, read.source)
    with collector_paused():
        return _simulated(read, target, model_sha256)


def _simulated(read: Model, target: Target, model_sha256: str) -> Simulation:
    edges = sum(len({*operator.inputs}) for operator in read.operators)
    if edges > MOST_EDGES:
        message = f"can't predict: the operators read {edges:,} tensors, and at most {MOST_EDGES:,} are supported"
        raise TrexError(message, "predict a part of the model", read.source)
    draft = build(read, target)
    if not draft.steps:
        raise TrexError(
            "the model computes nothing at run time: all outputs are constant", "check the export", read.source
        )
    _require_memory(draft, read.source)
    statement = statement_of(target.device, str(target.release))
    graph = json.loads(json.dumps(engine_document(draft, statement)))
    times = kernel_times(draft, document=graph)
    inference = inference_of(times.kernels, cuda_graph=target.cuda_graph)
    engine = SimulatedEngine(
        statement=statement,
        model=Path(read.source).name,
        model_sha256=model_sha256,
        device=device_information(target.device),
        release=str(target.release),
        allowed=tuple(sorted(value.label for value in target.allowed)),
        strongly_typed=target.strongly_typed,
        shapes={value.name: tuple(size or 0 for size in value.shape or ()) for value in read.inputs},
        graph=graph,
        layer_ms=times.layer_ms,
        compute_ms=inference.compute_ms,
        low_ms=inference.low_ms,
        high_ms=inference.high_ms,
        enqueue_ms=inference.enqueue_ms,
        validated_engines=inference.validated_engines,
        unjudged=inference.unjudged,
        unknown_work=unknown_work_record(inference.unknown_work),
        decisions=tuple({name: getattr(value, name) for name in _DECISION} for value in draft.decisions),
        cuda_graph=target.cuda_graph,
    )
    return Simulation(draft, times, inference, engine, (*draft.notes, *times.kernels.notes))


def statement_of(device: Device, release: str) -> str:
    """The statement in every artifact."""
    return f"simulated: predicted by trex for {device.name} and TensorRT {release}; nothing was built or measured"


def device_information(device: Device) -> Mapping[str, Any]:
    """The assumed device with the keys of trtexec's log; unknown facts are left out."""
    facts: dict[str, Any] = {"Selected Device": device.name}
    if device.compute_capability is not None:
        facts["Compute Capability"] = ".".join(map(str, device.compute_capability))
    if device.sm_count is not None:
        facts["SMs"] = str(device.sm_count)
    if device.clock_ghz is not None:
        facts["Application Compute Clock Rate"] = f"{device.clock_ghz:g} GHz"
    return facts


def _require_static(inputs: tuple[Value, ...], given: Mapping[str, Shape], model: str) -> None:
    opened = [value.name for value in inputs if not is_static(value.shape)]
    for name in opened:
        if name in given and is_static(given[name]):
            message = f"can't predict: the shape {shape_text(given[name])} of {name} is too large"
            raise TrexError(message, "give the sizes that the engine will run at", model)
    if opened:
        raise TrexError(
            f"can't predict: open shape of {', '.join(opened)}",
            f"set the shape: shapes={opened[0]}:1x3x224x224",
            model,
        )


def _require_memory(draft: NetworkDraft, model: str) -> None:
    """A layer's inputs and outputs are in memory at the same time; weights and all else come on top."""
    device = draft.target.device
    named = _GB.search(device.name)
    gib = device.memory_gib or (float(named[1]) if named else _MOST_GIB)
    needed = max(_bytes_at(step, draft) for step in draft.steps) / 2**30
    if needed > gib:
        has = f"the GPU has {significant(gib, 3)}" if device.memory_gib or named else "no GPU has more than 300"
        message = f"can't predict: one layer needs {significant(needed, 3)} GiB of memory, {has}"
        raise TrexError(message, "give smaller shapes, or a smaller batch", model)


def _bytes_at(step: BuildStep, draft: NetworkDraft) -> int:
    tensors = dict.fromkeys((*step.inputs, *step.outputs))
    return sum(draft.type_of(name).size_bytes(volume(draft.shape_of(name))) or 0 for name in tensors)
