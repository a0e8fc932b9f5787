"""A model and variants → WhatIfResults: the predicted time on other GPUs, at other batches, after edits
of the model.

Every result is a whole simulated build. A variant that cannot be predicted is a result with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trex.core.errors import TrexError
from trex.core.model import Model
from trex.core.note import Note
from trex.core.registry import Plug
from trex.core.shape import Shape
from trex.ingest.onnx_model import input_shapes, read_model
from trex.perf.device import Device
from trex.simulator.model_edit import edited
from trex.simulator.simulation import Simulation, simulate_model
from trex.simulator.target import Target
from trex.simulator.timing.prediction import Inference

UNCHANGED = "unchanged"


@dataclass(frozen=True)
class WhatIfResult:
    """batch: of the first input, None if it has no such dimension. model: ``unchanged`` or the title of the edits.

    changes: number of operators added and removed. simulation: None if nothing can be predicted; reason: why.
    """

    device: Device
    batch: int | None
    model: str
    changes: int
    simulation: Simulation | None
    reason: str = ""

    @property
    def throughput(self) -> float | None:
        """Samples per second, back to back; queries per second without a batch."""
        if self.simulation is None or not self.simulation.inference.compute_ms:
            return None
        return 1000.0 * (self.batch or 1) / self.simulation.inference.compute_ms


def what_if_results(
    model: str,
    target: Target,
    devices: Sequence[Device],
    batches: Sequence[int | None] = (None,),
    edits: Sequence[Plug] = (),
) -> Iterator[WhatIfResult]:
    """One for each GPU, batch and model (unchanged, then with the edits, if any), in this order.

    target: types, release, shapes and launches for all. batches: None for the batch of the shapes. Raises TrexError for
    a file that is no ONNX model, and for a batch if the model has no dimension for it.
    """
    shapes_of = {batch: {**target.shapes, **_with_batch(model, target.shapes, batch)} for batch in batches}
    models: dict[int | None, Model] = {}
    for device in devices:
        for batch in batches:
            shapes = shapes_of[batch]
            if batch not in models:
                models[batch] = read_model(model, {name: tuple(shape) for name, shape in shapes.items()})
            read = models[batch]
            first = read.inputs[0].shape if read.inputs else None
            size = first[0] if first else None
            wanted = replace(target, device=device, shapes=shapes)
            for plugs in ((), tuple(edits)) if edits else ((),):
                changed = edited(read, plugs)
                title = " + ".join(plug.value.title for plug in plugs) or UNCHANGED
                count = len(_written(changed) ^ _written(read))
                try:
                    simulation = simulate_model(changed, wanted)
                    yield WhatIfResult(device, size, title, count, simulation)
                except TrexError as error:
                    yield WhatIfResult(device, size, title, count, None, error.message)


def what_if_rows(results: Iterable[WhatIfResult]) -> list[dict[str, Any]]:
    """Results as records: GPU compute time and its error bar in ms, None without a prediction, and the share of it in
    work that no measured engine has judged; speedup compared with the unchanged model on the same GPU at the same
    batch, with its range: the worst case of both error bars, since their errors may have opposite signs; exactly 1 if
    nothing changed.
    """
    results = list(results)
    plain = {
        (result.device.name, result.batch): result.simulation.inference
        for result in results
        if result.model == UNCHANGED and result.simulation is not None
    }
    rows = []
    for result in results:
        inference = None if result.simulation is None else result.simulation.inference
        before = None if result.model == UNCHANGED else plain.get((result.device.name, result.batch))
        pair = None if inference is None or before is None else (before, inference)
        rows.append(
            {
                "device": result.device.name,
                "batch": result.batch,
                "model": result.model,
                "changes": result.changes or None,
                "unjudged": None if inference is None else inference.unjudged_share,
                "layers": None if result.simulation is None else _layers(result.simulation),
                "compute_ms": None if inference is None else inference.compute_ms,
                "from_ms": None if inference is None else inference.low_ms,
                "to_ms": None if inference is None else inference.high_ms,
                "samples_per_s": result.throughput,
                "speedup": None if pair is None else _ratio(pair[0], pair[1], "compute_ms", "compute_ms"),
                "speedup_from": None if pair is None else _ratio(pair[0], pair[1], "low_ms", "high_ms"),
                "speedup_to": None if pair is None else _ratio(pair[0], pair[1], "high_ms", "low_ms"),
                "reason": result.reason or None,
            }
        )
    return rows


def what_if_notes(results: Sequence[WhatIfResult]) -> Iterator[Note]:
    """Each Note of the simulations once, with the first outcome that has it unless all do; and why others failed."""
    seen: dict[Note, list[WhatIfResult]] = {}
    for result in results:
        for note in () if result.simulation is None else dict.fromkeys(result.simulation.notes):
            seen.setdefault(note, []).append(result)
    predicted = sum(result.simulation is not None for result in results)
    for note, having in seen.items():
        yield note if len(having) == predicted else replace(note, message=f"{_title(having[0])}: {note.message}")
    for result in results:
        if result.reason:
            yield Note("not-predicted", f"{_title(result)}: {result.reason}", severity="problem")


def _title(result: WhatIfResult) -> str:
    batch = "" if result.batch is None else f", batch {result.batch}"
    return f"{result.device.name}{batch}, {result.model}"


def _written(model: Model) -> set[tuple[str, ...]]:
    """What its operators write, which no two of them share."""
    return {operator.outputs for operator in model.operators}


def _ratio(before: Inference, after: Inference, one: str, other: str) -> float | None:
    """A time before over one after; 1 for equal predictions, None if nothing is left to run."""
    below = float(getattr(after, other))
    if before == after:
        return 1.0
    return float(getattr(before, one)) / below if below else None


def _layers(simulation: Simulation) -> int:
    """Number of layers without no-ops."""
    return sum(layer["LayerType"] != "NoOp" for layer in simulation.engine.graph["Layers"])


def _with_batch(model: str, shapes: Mapping[str, Shape], batch: int | None) -> dict[str, Shape]:
    """Shapes with another batch, for all inputs that share the first one's batch."""
    if batch is None:
        return {}
    if batch < 1:
        raise TrexError(f"{batch} is not a batch size", "whole numbers from 1", model)
    known = {name: shapes.get(name, shape) for name, shape in input_shapes(model).items()}
    first = next((shape for shape in known.values() if shape), None)
    if not first:
        raise TrexError("the model's input has no batch dimension", "omit --batch", model)
    resized: dict[str, Shape] = {}
    for name, shape in known.items():
        if shape and shape[0] in (first[0], None):
            resized[name] = (batch, *(size or 1 for size in shape[1:]))
    return resized
