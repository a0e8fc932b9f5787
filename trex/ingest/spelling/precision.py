"""Types and kernel name of a layer → Precision: the type it computes in, with confidence and evidence.

A layer's record does not state its precision. It is inferred from, in this order, the kernel's name, the stored
weights, the input tensors and the output tensors. Index and mask inputs (INT64, INT32, BOOL …) only count if there is
no floating-point or 8-bit input. Contradictory evidence lowers the confidence and is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.core.layer import NO_PRECISION, Layer, Precision
from trex.core.note import Note
from trex.core.printable import clipped
from trex.core.tactic import NO_TACTIC, Tactic
from trex.ingest.spelling.tactic_names import decode_tactic, without_hash

_MOVING = (
    "reformat myelinreformat noop shuffle reshape transpose slice padding gather concat concatenation copy identity "
    "cast quantize dequantize constant"
)
MOVERS = frozenset(_MOVING.split())
"""Layer types, in lower case, that only move or convert data: their precision is the type of their input."""

_WITHOUT_WEIGHTS = frozenset({"maxpool", "avgpool"})
"""Layer types, in lower case, whose stored values are scales only."""

NEIGHBOR_CONFIDENCE = 0.4
"""Upper bound of the confidence in a precision taken from a neighbor."""

_CONFIDENCE_DECAY = 0.75
# Evidence contains at most so many characters of a name: many layers may have the same neighbor.
_MOST_OF_NAME = 160
# Longer arguments do not repeat, so caching them would only take memory.
_LONGEST_CACHED = 2000
_INDEX_KINDS = frozenset(("bool", "scale", "unknown"))
_DATA_TYPES = frozenset(t for t in DataType if t.is_float or t in (DataType.INT8, DataType.UINT8, DataType.INT4))


def precision_of(
    layer_type: str,
    subtype: str,
    input_types: tuple[DataType, ...],
    output_types: tuple[DataType, ...],
    weights_type: DataType | None = None,
    tactic_name: str = "",
    origin: str = "",
) -> Precision:
    """The type a layer computes in; NO_PRECISION without evidence.

    layer_type, subtype: TREx's *type* and *subtype*. weights_type: of the stored weights, None without weights.
    origin: a Reformat's Origin (``REFORMAT``, ``QDQ``), otherwise "". Layers that only move data (``MOVERS``) have the
    type of their input; the evidence reports a conversion.
    """
    kernel = without_hash(tactic_name)
    arguments = (layer_type, subtype, input_types, output_types, weights_type, kernel, origin)
    if len(layer_type) + len(subtype) + len(tactic_name) + len(origin) + len(input_types) > _LONGEST_CACHED:
        return _precision_of.__wrapped__(*arguments)
    return _precision_of(*arguments)


@lru_cache(maxsize=16384)
def _precision_of(
    layer_type: str,
    subtype: str,
    input_types: tuple[DataType, ...],
    output_types: tuple[DataType, ...],
    weights_type: DataType | None,
    tactic_name: str,
    origin: str,
) -> Precision:
    outputs, _ = _majority(output_types, ())
    if layer_type.lower() in MOVERS or subtype.lower() in MOVERS or origin == "QDQ":
        return _of_mover(input_types, outputs, origin)
    tactic = decode_tactic(tactic_name) if tactic_name else NO_TACTIC
    weights = weights_type if weights_type is not None else DataType.UNKNOWN
    if layer_type.lower() in _WITHOUT_WEIGHTS:
        weights = DataType.UNKNOWN
    if tactic.input_type.is_known:
        return _by_tactic(tactic, weights, input_types)
    if weights.is_known:
        return _by_weights(weights, input_types)
    inputs, inputs_agree = _majority(input_types, output_types)
    if inputs.is_known:
        confidence = 0.8 if inputs_agree else 0.6
        evidence = "input tensors" if inputs_agree else f"most input tensors ({_listed(input_types)})"
        if outputs.is_known and outputs is not inputs:
            return Precision(inputs, round(confidence - 0.1, 2), f"{evidence}; output {outputs.label}")
        return Precision(inputs, confidence, evidence)
    if outputs.is_known:
        return Precision(outputs, 0.5, "output tensors; input types unknown")
    return NO_PRECISION


def _of_mover(input_types: tuple[DataType, ...], outputs: DataType, origin: str) -> Precision:
    what = "moves data for a quantize or dequantize" if origin == "QDQ" else "moves data"
    inputs, _ = _majority(input_types, (outputs,))
    if inputs.is_known:
        if outputs.is_known and outputs is not inputs:
            return Precision(inputs, 0.9, f"{what}, converting {inputs.label} to {outputs.label}")
        return Precision(inputs, 1.0, f"{what}: the type of its input")
    if not outputs.is_known:
        return NO_PRECISION
    if not input_types:
        return Precision(outputs, 1.0, "the type of its output: it has no input")
    return Precision(outputs, 0.5, f"{what}: the type of its output; input type unknown")


def _by_tactic(tactic: Tactic, weights: DataType, input_types: tuple[DataType, ...]) -> Precision:
    data_type = tactic.input_type
    inputs = _input_evidence(data_type, input_types)
    evidence = f"tactic name …{tactic.evidence}…"
    if tactic.tf32:
        evidence += " (FP32 data multiplied as TF32)"
    elif tactic.tensor_core is False and tactic.accumulate_type is DataType.FP32 is not data_type:
        evidence += " (accumulated in FP32 on CUDA cores)"
    others = [(word, other) for word, other in (("weights", weights), ("inputs", inputs)) if other.is_known]
    agreeing = [word for word, other in others if other is data_type]
    against = [f"{word} {other.label}" for word, other in others if other is not data_type]
    if agreeing:
        evidence += f", {' and '.join(agreeing)}"
    if against:
        evidence += f"; but {' and '.join(against)}"
    return Precision(data_type, round(0.9 + 0.05 * len(agreeing) - 0.2 * len(against), 2), evidence)


def _by_weights(weights: DataType, input_types: tuple[DataType, ...]) -> Precision:
    inputs = _input_evidence(weights, input_types)
    if not inputs.is_known:
        return Precision(weights, 0.8, f"weights {weights.label}")
    if weights is inputs:
        return Precision(weights, 0.95, f"weights {weights.label} and input tensors")
    evidence = f"weights {weights.label}; but input tensors {inputs.label}"
    if inputs in _DATA_TYPES and (weights.bits or 0) < (inputs.bits or 0):
        # Weights narrower than the inputs are unpacked to the input type before the multiplication.
        return Precision(inputs, 0.6, f"{evidence}: weight-only quantization, computed in the input type")
    return Precision(weights, 0.6, evidence)


def _input_evidence(data_type: DataType, input_types: tuple[DataType, ...]) -> DataType:
    """``data_type`` if any input has it (a residual or bias of another type is no contradiction), else the majority."""
    return data_type if data_type in input_types else _majority(input_types, ())[0]


def _majority(types: tuple[DataType, ...], tie_breakers: tuple[DataType, ...]) -> tuple[DataType, bool]:
    """(most frequent type of the data, whether all data types agree); index types count only without others."""
    if len(types) == 1:
        return types[0], True
    counts: dict[DataType, int] = {}
    for data_type in types:
        if data_type in _DATA_TYPES:
            counts[data_type] = counts.get(data_type, 0) + 1
    if not counts:
        for data_type in types:
            if data_type.kind not in _INDEX_KINDS:
                counts[data_type] = counts.get(data_type, 0) + 1
    if not counts:
        return next((t for t in types if t.is_known), DataType.UNKNOWN), True
    most = max(counts.values())
    leaders = [data_type for data_type, count in counts.items() if count == most]
    chosen = next((t for t in leaders if t in tie_breakers), leaders[0])
    return chosen, len(counts) == 1


def _listed(types: tuple[DataType, ...], limit: int = 6) -> str:
    text = ", ".join(t.label for t in types[:limit])
    return text if len(types) <= limit else f"{text}, …"


def fill_from_neighbors(layers: Sequence[Layer]) -> tuple[dict[int, Precision], tuple[Note, ...]]:
    """Precisions for layers without types: ({layer.index: Precision}, one Note if there are any).

    For engines whose formats all read "N/A due to dynamic shapes". A layer takes, in this order, the type that another
    layer reports for one of its tensors, its producer's precision, its consumer's precision. The confidence is at most
    ``NEIGHBOR_CONFIDENCE`` and decays with distance. Linear in the number of tensor uses.
    """
    unknown = [layer for layer in layers if not layer.compute.data_type.is_known and (layer.inputs or layer.outputs)]
    if not unknown:
        return {}, ()
    filled: dict[int, Precision] = {}
    _fill_from_tensors(layers, unknown, filled)
    _fill_along(layers, filled, forward=True)
    _fill_along(layers, filled, forward=False)
    if not filled:
        return {}, ()
    note = Note(
        "precision-from-neighbors",
        f"the precision of {len(filled)} of {counted(len(layers), 'layer')} was taken from neighboring layers: "
        "their own records contain no type",
        hint="inspect the engine with an execution context whose input shapes are set",
        severity="info",
    )
    return filled, (note,)


def _fill_from_tensors(layers: Sequence[Layer], unknown: list[Layer], filled: dict[int, Precision]) -> None:
    reported: dict[tuple[int, str], tuple[DataType, str]] = {}
    for layer in layers:
        for tensor in (*layer.inputs, *layer.outputs):
            if tensor.data_type.is_known:
                reported.setdefault((layer.profile, tensor.name), (tensor.data_type, layer.name))
    if not reported:
        return
    for layer in unknown:
        for tensor in (*layer.inputs, *layer.outputs):
            if (layer.profile, tensor.name) in reported:
                data_type, reporter = reported[layer.profile, tensor.name]
                evidence = f"tensor {_cut(tensor.name)} as layer {_cut(reporter)} reports it"
                filled[layer.index] = Precision(data_type, NEIGHBOR_CONFIDENCE, evidence)
                break


def _fill_along(layers: Sequence[Layer], filled: dict[int, Precision], forward: bool) -> None:
    """Propagates precisions along tensors, in execution order or against it."""
    carried: dict[tuple[int, str], tuple[Precision, str]] = {}
    relation = "its producer" if forward else "its consumer"
    for layer in layers if forward else reversed(layers):
        sources, targets = (layer.inputs, layer.outputs) if forward else (layer.outputs, layer.inputs)
        own = layer.compute if layer.compute.data_type.is_known else filled.get(layer.index)
        if own is None:
            for tensor in sources:
                if (layer.profile, tensor.name) in carried:
                    precision, neighbor = carried[layer.profile, tensor.name]
                    confidence = round(min(NEIGHBOR_CONFIDENCE, precision.confidence) * _CONFIDENCE_DECAY, 3)
                    own = Precision(precision.data_type, confidence, f"{relation} {_cut(neighbor)}")
                    filled[layer.index] = own
                    break
        # Names are reused: a write ends the validity of what was known about the tensor.
        for tensor in layer.outputs:
            carried.pop((layer.profile, tensor.name), None)
        if own is not None:
            for tensor in targets:
                carried[(layer.profile, tensor.name)] = (own, layer.name)


def _cut(name: str) -> str:
    return clipped(name, _MOST_OF_NAME)
