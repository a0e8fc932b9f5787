"""Witnesses about a layer → Precision: the type it computes in, how sure that is, and why.

A layer's record does not state its precision. Witnesses are heard in this order: the kernel's name, the stored weights,
the input tensors, the output tensors. Index and mask inputs (INT64, INT32, BOOL …) do not decide while a floating or
8-bit input is present. Witnesses that contradict one another lower the confidence, and the evidence says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.core.layer import NO_PRECISION, Layer, Precision
from trex.core.note import Note
from trex.core.tactic import NO_TACTIC, Tactic
from trex.ingest.spelling.tactic_names import decode_tactic

_MOVING = (
    "reformat myelinreformat noop shuffle reshape transpose slice padding gather concat concatenation copy identity "
    "cast quantize dequantize constant"
)
MOVERS = frozenset(_MOVING.split())
"""Layer types, in lower case, that move or convert data without computing: their precision is their input's type."""

NEIGHBOR_CONFIDENCE = 0.4
"""Upper bound of the confidence in a precision borrowed from a neighbor."""

_FADING = 0.75
# Witnesses longer than this together do not repeat: remembering them would only hold memory.
_REMEMBERED = 2000
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
    """The type a layer computes in.

    layer_type, subtype: TREx's *type* and *subtype*. weights_type: of the stored weights, None without any.
    origin: a Reformat's Origin (``REFORMAT``, ``QDQ``), else "". Data movers (see ``MOVERS``) have the type of their
    input; where it differs from the output's the evidence tells the conversion. NO_PRECISION when no witness speaks.
    """
    told = (layer_type, subtype, input_types, output_types, weights_type, tactic_name, origin)
    if len(layer_type) + len(subtype) + len(tactic_name) + len(origin) + len(input_types) > _REMEMBERED:
        return _precision_of.__wrapped__(*told)
    return _precision_of(*told)


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
        return Precision(outputs, 0.5, "output tensors; the inputs' types are not told")
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
    return Precision(outputs, 0.5, f"{what}: the type of its output, its input's is not told")


def _by_tactic(tactic: Tactic, weights: DataType, input_types: tuple[DataType, ...]) -> Precision:
    found = tactic.input_type
    inputs = _input_witness(found, input_types)
    evidence = f"tactic name …{tactic.evidence}…"
    if tactic.tf32:
        evidence += " (FP32 data multiplied as TF32)"
    elif tactic.tensor_core is False and tactic.accumulate_type is DataType.FP32 is not found:
        evidence += " (accumulated in FP32 on CUDA cores)"
    witnesses = [(word, witness) for word, witness in (("weights", weights), ("inputs", inputs)) if witness.is_known]
    agreeing = [word for word, witness in witnesses if witness is found]
    against = [f"{word} {witness.label}" for word, witness in witnesses if witness is not found]
    if agreeing:
        evidence += f", {' and '.join(agreeing)}"
    if against:
        evidence += f"; but {' and '.join(against)}"
    return Precision(found, round(0.9 + 0.05 * len(agreeing) - 0.2 * len(against), 2), evidence)


def _by_weights(weights: DataType, input_types: tuple[DataType, ...]) -> Precision:
    inputs = _input_witness(weights, input_types)
    if not inputs.is_known:
        return Precision(weights, 0.8, f"weights {weights.label}")
    if weights is inputs:
        return Precision(weights, 0.95, f"weights {weights.label} and input tensors")
    told = f"weights {weights.label}; but input tensors {inputs.label}"
    if inputs in _DATA_TYPES and (weights.bits or 0) < (inputs.bits or 0):
        # Narrow weights beside wide inputs are unpacked to the inputs' type before they are multiplied.
        return Precision(inputs, 0.6, f"{told}: weight-only quantization, computed in the inputs' type")
    return Precision(weights, 0.6, told)


def _input_witness(found: DataType, input_types: tuple[DataType, ...]) -> DataType:
    """What the inputs say about ``found``: a residual or bias of another type beside it is no contradiction."""
    return found if found in input_types else _majority(input_types, ())[0]


def _majority(types: tuple[DataType, ...], tie_breakers: tuple[DataType, ...]) -> tuple[DataType, bool]:
    """(most frequent type that carries data, whether all of those agree); index types only when alone."""
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
    """Precisions for layers about which nothing is told: {layer.index: Precision}, and one Note when there are any.

    For engines whose every format reads "N/A due to dynamic shapes". A layer takes, in this order, the type another
    layer reports for one of its tensors, its producer's precision, its consumer's; confidence is at most
    ``NEIGHBOR_CONFIDENCE`` and fades with distance. Linear in the number of tensor uses.
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
        "their own records tell no type",
        hint="inspect the engine through an execution context whose input shapes are set",
        severity="info",
    )
    return filled, (note,)


def _fill_from_tensors(layers: Sequence[Layer], unknown: list[Layer], filled: dict[int, Precision]) -> None:
    told: dict[tuple[int, str], tuple[DataType, str]] = {}
    for layer in layers:
        for tensor in (*layer.inputs, *layer.outputs):
            if tensor.data_type.is_known:
                told.setdefault((layer.profile, tensor.name), (tensor.data_type, layer.name))
    if not told:
        return
    for layer in unknown:
        for tensor in (*layer.inputs, *layer.outputs):
            found = told.get((layer.profile, tensor.name))
            if found:
                evidence = f"tensor {tensor.name} as layer {found[1]} reports it"
                filled[layer.index] = Precision(found[0], NEIGHBOR_CONFIDENCE, evidence)
                break


def _fill_along(layers: Sequence[Layer], filled: dict[int, Precision], forward: bool) -> None:
    """One pass in execution order (or against it), handing each tensor's precision from layer to layer."""
    carried: dict[tuple[int, str], tuple[Precision, str]] = {}
    relation = "its producer" if forward else "its consumer"
    for layer in layers if forward else reversed(layers):
        sources, targets = (layer.inputs, layer.outputs) if forward else (layer.outputs, layer.inputs)
        own = layer.compute if layer.compute.data_type.is_known else filled.get(layer.index)
        if own is None:
            for tensor in sources:
                found = carried.get((layer.profile, tensor.name))
                if found:
                    confidence = round(min(NEIGHBOR_CONFIDENCE, found[0].confidence) * _FADING, 3)
                    own = Precision(found[0].data_type, confidence, f"{relation} {found[1]}")
                    filled[layer.index] = own
                    break
        # Names are reused: what was known of a tensor ends where the tensor is written.
        for tensor in layer.outputs:
            carried.pop((layer.profile, tensor.name), None)
        if own is not None:
            for tensor in targets:
                carried[(layer.profile, tensor.name)] = (own, layer.name)
