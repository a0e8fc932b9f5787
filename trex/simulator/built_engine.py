"""The graph of a real engine, built without a GPU, and a device → SimulatedEngine: its layers with predicted times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trex.core.engine import Engine
from trex.core.errors import TrexError
from trex.core.layer import JUMPS, Layer
from trex.core.note import Note
from trex.core.provenance import Provenance
from trex.core.shape import is_static, shape_text
from trex.core.tensor import Tensor
from trex.ingest.graph_json import engine_from_documents
from trex.perf.device import Device
from trex.perf.performance import PREDICTED_ONCE
from trex.plan.unknown_work import unknown_work_record
from trex.simulator.engine_file import SimulatedEngine
from trex.simulator.simulation import device_information
from trex.simulator.timing.prediction import inference_of, predict

MARK = "built_on_cpu"


def has_open_shapes(graph: Mapping[str, Any]) -> bool:
    """Whether an input or output has a dimension that is known only at run time."""
    return bool(_open_bindings(engine_from_documents([dict(graph)])))


def with_predicted_times(
    graph: Mapping[str, Any],
    device: Device,
    model: str,
    release: str,
    *,
    model_sha256: str = "",
    sized: Mapping[str, Any] | None = None,
    cuda_graph: bool = True,
) -> tuple[SimulatedEngine, tuple[Note, ...]]:
    """Times as of a simulated engine, from the layers' own records. model: name of the ONNX file. release: for people.

    sized: graph of the same model, built for one shape; the times are those of its layers, if both engines have the
    same. cuda_graph: whether the kernels are launched as one graph. Raises TrexError for open shapes without such a
    graph, for a graph of other layers, and for a device of unknown rates.
    """
    engine = own = engine_from_documents([dict(graph)], model)
    notes: tuple[Note, ...] = ()
    if sized is not None:
        engine = engine_from_documents([dict(sized)], model)
        notes = (_sized_note(engine),)
    opened = _open_bindings(engine)
    if opened:
        raise TrexError(
            f"can't predict times: open shape of {', '.join(opened)}",
            f"build for one shape: equal minShapes, optShapes and maxShapes, {opened[0]}:1x3x224x224",
            model,
        )
    prediction = predict(engine.layers, device)
    layer_ms = [layer.ms if layer.is_kernel else None for layer in prediction.layers]
    if sized is not None:
        layer_ms = _in_order_of(own, engine, layer_ms)
    inference = inference_of(prediction, cuda_graph=cuda_graph)
    built = SimulatedEngine(
        statement=Provenance.BUILT_ON_CPU.stated(release),
        model=model,
        model_sha256=model_sha256,
        device=device_information(device),
        release=release,
        allowed=(),
        strongly_typed=True,
        shapes={binding.name: tuple(size or 0 for size in binding.tensor.shape or ()) for binding in engine.bindings
                if binding.is_input and binding.tensor},
        graph=graph,
        layer_ms=tuple(layer_ms),
        compute_ms=inference.compute_ms,
        low_ms=inference.low_ms,
        high_ms=inference.high_ms,
        enqueue_ms=inference.enqueue_ms,
        validated_engines=inference.validated_engines,
        unjudged=inference.unjudged,
        unknown_work=unknown_work_record(inference.unknown_work),
        mark=MARK,
        cuda_graph=cuda_graph,
    )  # fmt: skip
    jumps = (PREDICTED_ONCE,) if any(layer.type in JUMPS for layer in engine.layers) else ()
    return built, (*notes, *prediction.notes, *jumps)


def _open_bindings(engine: Engine) -> list[str]:
    return [binding.name for binding in engine.bindings if binding.tensor and not is_static(binding.tensor.shape)]


def _sized_note(sized: Engine) -> Note:
    inputs = [binding for binding in sized.bindings if binding.is_input and binding.tensor is not None]
    shapes = ", ".join(f"{one.name} {shape_text(one.tensor.shape)}" for one in inputs if one.tensor)
    message = f"times are predicted for {shapes}, by the sizes in an engine for these shapes alone, of the same layers"
    return Note("time-at-one-shape", message, "", sized.source, "info")


def _in_order_of(own: Engine, sized: Engine, times: Sequence[float | None]) -> list[float | None]:
    """The times of the sized engine's layers for the other's layers of the first optimization profile; those without
    tensors take none.

    Raises TrexError unless types, tensors and known dimensions of all layers are the same.
    """
    of_sized = [(layer, ms) for layer, ms in zip(sized.layers, times) if _tensors(layer)]
    first = own.profiles[0]
    kernels = [layer for layer in own.layers if layer.profile == first and _tensors(layer)]
    if len(kernels) != len(of_sized) or not all(_is_same(layer, other) for layer, (other, _) in zip(kernels, of_sized)):
        raise TrexError(
            "can't predict times: the engine for one shape has other layers than the engine for all",
            "build for one shape: equal minShapes, optShapes and maxShapes",
            own.source,
        )
    rest = iter(of_sized)
    return [next(rest)[1] if layer.profile == first and _tensors(layer) else None for layer in own.layers]


def _tensors(layer: Layer) -> tuple[Tensor, ...]:
    return (*layer.inputs, *layer.outputs)


def _is_same(layer: Layer, other: Layer) -> bool:
    tensors, others = _tensors(layer), _tensors(other)
    return layer.type == other.type and len(tensors) == len(others) and all(map(_fits, tensors, others))


def _fits(tensor: Tensor, sized: Tensor) -> bool:
    """Whether all known dimensions are equal."""
    if tensor.shape is None or sized.shape is None or len(tensor.shape) != len(sized.shape):
        return tensor.shape == sized.shape
    return all(size is None or size == other for size, other in zip(tensor.shape, sized.shape))
