"""ONNX file and Target → Simulation: the predicted engine, its layers' times, and every decision on the way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError
from trex.core.model import Model
from trex.core.note import Note
from trex.core.operator import Value
from trex.core.shape import is_static
from trex.ingest.onnx_model import read_model
from trex.perf.device import Device
from trex.simulator.builder import build
from trex.simulator.draft import Draft
from trex.simulator.engine_file import SimulatedEngine
from trex.simulator.engine_json import engine_document
from trex.simulator.kernel_times import KernelTimes, kernel_times
from trex.simulator.target import Target
from trex.simulator.timing.inference import Inference, inference_of


@dataclass(frozen=True)
class Simulation:
    """draft: after all passes. times: of its steps and their kernels. inference: of one query.

    engine: all of it as ``trex process`` writes it. notes: what the model's reader and the passes did not understand.
    """

    draft: Draft
    times: KernelTimes
    inference: Inference
    engine: SimulatedEngine
    notes: tuple[Note, ...] = ()


def simulate(
    model: str, target: Target, *, model_sha256: str = "", transfers: bool = False, cuda_graph: bool = True
) -> Simulation:
    """What TensorRT is predicted to make of an ONNX file; its weights are never read. As ``simulate_model``.

    Raises TrexError for a file that is no ONNX model, and shapes that do not fit it.
    """
    read = read_model(model, {name: tuple(shape) for name, shape in target.shapes.items()})
    return simulate_model(read, target, model_sha256=model_sha256, transfers=transfers, cuda_graph=cuda_graph)


def simulate_model(
    read: Model, target: Target, *, model_sha256: str = "", transfers: bool = False, cuda_graph: bool = True
) -> Simulation:
    """transfers: whether copies between host and device belong to a query. cuda_graph: whether the kernels are launched
    as one graph.

    Raises TrexError for dimensions that stay open, an empty network, and a device whose figures a prediction needs are
    not known.
    """
    _check(read.inputs, read.source)
    draft = build(read, target)
    if not draft.steps:
        raise TrexError(
            "the model computes nothing at run time: all of it is constant", "check the export", read.source
        )
    statement = statement_of(target.device, str(target.release))
    document = engine_document(draft, statement)
    times = kernel_times(draft)
    moved = [sum(each.size_bytes or 0 for each in values) if transfers else 0 for values in (read.inputs, read.outputs)]
    inference = inference_of(times.kernels, moved[0], moved[1], cuda_graph=cuda_graph)
    engine = SimulatedEngine(
        statement=statement,
        model=Path(read.source).name,
        model_sha256=model_sha256,
        device=device_information(target.device),
        release=str(target.release),
        allowed=tuple(sorted(each.label for each in target.allowed)),
        strongly_typed=target.strongly_typed,
        shapes={each.name: tuple(size or 0 for size in each.shape or ()) for each in read.inputs},
        graph=json.loads(json.dumps(document)),
        layer_ms=times.layer_ms,
        compute_ms=inference.compute_ms,
        low_ms=inference.low_ms,
        high_ms=inference.high_ms,
        enqueue_ms=inference.enqueue_ms,
        h2d_ms=inference.h2d_ms,
        d2h_ms=inference.d2h_ms,
        decisions=tuple(asdict(each) for each in draft.decisions),
    )
    return Simulation(draft, times, inference, engine, (*draft.notes, *times.kernels.notes))


def statement_of(device: Device, release: str) -> str:
    """What every artifact says of itself."""
    return f"simulated: predicted by trex for {device.name} and TensorRT {release}; nothing was built or measured"


def device_information(device: Device) -> Mapping[str, Any]:
    """The assumed device in the words of trtexec's log; what is not known is left out."""
    told: dict[str, Any] = {"Selected Device": device.name}
    if device.compute_capability is not None:
        told["Compute Capability"] = ".".join(map(str, device.compute_capability))
    if device.sm_count is not None:
        told["SMs"] = str(device.sm_count)
    if device.clock_ghz is not None:
        told["Application Compute Clock Rate"] = f"{device.clock_ghz:g} GHz"
    return told


def _check(inputs: tuple[Value, ...], model: str) -> None:
    opened = [value.name for value in inputs if not is_static(value.shape)]
    if opened:
        raise TrexError(
            f"the shape of {', '.join(opened)} is open, and nothing can be predicted without it",
            f"say how large: shapes={opened[0]}:1x3x224x224",
            model,
        )
