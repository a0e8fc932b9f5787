"""The graph of a real engine, built without a GPU, and a device → SimulatedEngine: its layers with predicted times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from trex.core.errors import TrexError
from trex.core.layer import Layer
from trex.core.note import Note
from trex.core.provenance import Provenance
from trex.core.shape import is_static
from trex.ingest.graph_json import engine_from_documents
from trex.perf.device import Device
from trex.simulator.engine_file import SimulatedEngine
from trex.simulator.simulation import device_information
from trex.simulator.timing.prediction import inference_of, predict

MARK = "built_on_cpu"


def with_predicted_times(
    graph: Mapping[str, Any], device: Device, model: str, release: str, *, cuda_graph: bool = True
) -> tuple[SimulatedEngine, tuple[Note, ...]]:
    """Times as of a simulated engine, from the layers' own records. model: name of the ONNX file. release: for people.

    cuda_graph: whether the kernels are launched as one graph. Raises TrexError for layers with open dimensions, and for
    a device of unknown rates.
    """
    engine = engine_from_documents([dict(graph)], model)
    opened = [binding.name for binding in engine.bindings if binding.tensor and not is_static(binding.tensor.shape)]
    if opened:
        raise TrexError(
            f"can't predict times: open shape of {', '.join(opened)}",
            f"build for one shape: equal minShapes, optShapes and maxShapes, {opened[0]}:1x3x224x224",
            model,
        )
    prediction = predict(engine.layers, device)
    inference = inference_of(prediction, cuda_graph=cuda_graph)
    built = SimulatedEngine(
        statement=Provenance.BUILT_ON_CPU.stated(release),
        model=model,
        model_sha256="",
        device=device_information(device),
        release=release,
        allowed=(),
        strongly_typed=True,
        shapes={binding.name: tuple(size or 0 for size in binding.tensor.shape or ()) for binding in engine.bindings
                if binding.is_input and binding.tensor},
        graph=graph,
        layer_ms=tuple(layer.ms if layer.is_kernel else None for layer in prediction.layers),
        compute_ms=inference.compute_ms,
        low_ms=inference.low_ms,
        high_ms=inference.high_ms,
        enqueue_ms=inference.enqueue_ms,
        validated_engines=inference.validated_engines,
        unjudged=inference.unjudged,
        mark=MARK,
    )  # fmt: skip
    return built, (*prediction.notes, *_of_jumps(engine.layers))


def _of_jumps(layers: Iterable[Layer]) -> Iterator[Note]:
    if any(layer.type in ("jmp", "cjmp") for layer in layers):
        yield Note(
            "time-of-control-flow",
            "the model has conditions or loops: every layer counts once, however often it runs, and what the host "
            "decides takes no time",
            "measure on a GPU",
        )
