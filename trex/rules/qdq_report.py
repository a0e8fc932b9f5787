"""Fate of Q/DQ: what became of every QuantizeLinear and DequantizeLinear, and how much of the work runs quantized."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from trex.core.counted import counted
from trex.core.layer import Layer
from trex.rules.analyzed_engine import Inspected
from trex.rules.qdq_propagation import CANNOT_TELL, MOVED, NOT_LOOKED_AT, Move, Moves
from trex.rules.type_flow import FLOATS, PRODUCTS, QUANTIZED, QUANTIZES, is_quantization, operations_of, operator_word
from trex.rules.wording import main_operation, shortened, type_and_layout

FUSED, KERNEL, REFORMAT, INVISIBLE = "fused", "kernel", "reformat", "not told"
FATES = {
    FUSED: "computed by the layer it fused into",
    KERNEL: "a kernel of its own",
    REFORMAT: "a reformat of its own",
    MOVED: "runs on the other side of an operator than the model has it",
    INVISIBLE: "in the ONNX model, but named by no layer: fused without a trace, folded or removed",
}
_CONCATS = frozenset({"concat", "concatenation"})


@dataclass(frozen=True, slots=True)
class Fate:
    """operation: the ONNX node. quantizes: False for a DequantizeLinear. fate: one of ``FATES``; became: what it is
    where it moved to, else the fate. layer: the index of the layer that holds it, None where none does; layer_name its
    name. milliseconds: of a kernel or reformat of its own, NaN where it was not measured and for all others.
    conversion: ``FP16 NCHW → INT8 NC/32HW32`` of these. beside: the layers before and after a kernel of its own.
    forces: the reformats that are there because of it, itself first where it is one. move: where it stands against the
    model, and the evidence, or why that cannot be told.
    """

    operation: str
    quantizes: bool
    fate: str
    layer: int | None
    layer_name: str
    milliseconds: float
    conversion: str = ""
    beside: tuple[str, ...] = ()
    became: str = ""
    forces: tuple[Forced, ...] = ()
    move: Move = NOT_LOOKED_AT


@dataclass(frozen=True, slots=True)
class Forced:
    """A reformat that a Q/DQ forces. layer: its index. why: in words."""

    layer: int
    layer_name: str
    conversion: str
    milliseconds: float
    why: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of one type: share of the layers' time and of the known multiply-adds that run in it, 0 … 1, NaN if unknown."""

    label: str
    layers: int
    milliseconds: float
    time_share: float
    macs: float
    macs_share: float


@dataclass(frozen=True, slots=True)
class Junction:
    """A residual add or a concatenation: the types it reads and writes. is_quantized: all of them quantized types."""

    operation: str
    kind: str
    layer: int
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    is_quantized: bool


@dataclass(frozen=True, slots=True)
class QdqReport:
    """fates: in execution order, those that no layer names last. coverage: by type, INT8 and FP8 first. junctions: adds
    and concatenations, in execution order. macs_known: share of the products whose multiply-adds are known. notes: what
    limits the report, in sentences.
    """

    fates: tuple[Fate, ...]
    coverage: tuple[Coverage, ...]
    junctions: tuple[Junction, ...]
    macs_known: float
    notes: tuple[str, ...]

    def count(self, fate: str) -> int:
        return sum(each.fate == fate for each in self.fates)


def qdq_report(seen: Inspected) -> QdqReport:
    """The fate of every Q/DQ that the engine's names and metadata tell; of all where an ONNX model is given."""
    moves = Moves(seen)
    fates = [_placed(seen, each, moves) for each in _told(seen)]
    notes = []
    model = seen.plan.model
    if model is not None:
        named = {each.operation for each in fates}
        for operator in model.operators:
            if operator_word(operator.type) in QUANTIZES | _DEQUANTIZES and operator.name not in named:
                is_q = operator_word(operator.type) in QUANTIZES
                fates.append(_found(seen, Fate(operator.name, is_q, INVISIBLE, None, "", math.nan), moves))
    elif fates:
        notes.append(
            "layers name few of the DequantizeLinear they took in: with the ONNX model (--onnx) all of them are counted"
        )
    notes += _untold_moves(fates, model is not None)
    if not fates:
        notes.append("no layer names a QuantizeLinear or DequantizeLinear, nor does a model tell of any")
    coverage, macs_known = _coverage(seen)
    return QdqReport(tuple(fates), coverage, tuple(_junctions(seen)), macs_known, tuple(notes))


_DEQUANTIZES = frozenset({"dequantizelinear"})


def _told(seen: Inspected) -> Iterable[Fate]:
    for place, layer in enumerate(seen.layers):
        operations = [each for each in operations_of(layer) if is_quantization(each)]
        if not operations:
            continue
        is_alone = len(operations) == len(operations_of(layer))
        fate = FUSED if not is_alone else REFORMAT if seen.flow.is_copy(place) else KERNEL
        for operation in operations:
            yield _fate(seen, place, layer, operation, fate)


def _fate(seen: Inspected, place: int, layer: Layer, operation: str, fate: str) -> Fate:
    quantizes = operator_word(operation) in QUANTIZES
    if fate == FUSED:
        return Fate(operation, quantizes, fate, layer.index, layer.name, math.nan)
    beside = tuple(main_operation(seen.layers[each]) for each in (*seen.before(place), *seen.after(place)))
    return Fate(operation, quantizes, fate, layer.index, layer.name, seen.times[place], _conversion(layer), beside)


def _placed(seen: Inspected, fate: Fate, moves: Moves) -> Fate:
    """With where it stands against the model, and the reformats that it forces."""
    place = None if fate.layer is None else seen.place_of[fate.layer]
    move = moves.of(fate.operation, fate.quantizes, place)
    forces = () if place is None or fate.fate == FUSED else tuple(_forced(seen, place, fate))
    return replace(fate, fate=MOVED if move.place == MOVED else fate.fate, became=fate.fate, forces=forces, move=move)


def _found(seen: Inspected, fate: Fate, moves: Moves) -> Fate:
    """Of a Q/DQ that no layer names: the layer that does its work, as far as types around it tell."""
    move = moves.of(fate.operation, fate.quantizes, None)
    if move.into is None:
        return replace(fate, fate=MOVED if move.place == MOVED else fate.fate, became=fate.fate, move=move)
    place = seen.place_of[move.into]
    found = _fate(seen, place, seen.layers[place], fate.operation, REFORMAT if seen.flow.is_copy(place) else FUSED)
    return _placed(seen, replace(found, quantizes=fate.quantizes), moves)


def _forced(seen: Inspected, place: int, fate: Fate) -> Iterable[Forced]:
    """The copy that it became, and those between it and its neighbors that change types or layouts for it."""
    if fate.fate == REFORMAT:
        yield _reformat(seen, place, "it is this reformat itself")
    for other, why in (
        *((each, "makes what it reads") for each in seen.before(place)),
        *((each, "makes of it what is read") for each in seen.after(place)),
    ):
        if seen.flow.is_copy(other) and not any(map(is_quantization, operations_of(seen.layers[other]))):
            yield _reformat(seen, other, why)


def _reformat(seen: Inspected, place: int, why: str) -> Forced:
    layer = seen.layers[place]
    return Forced(layer.index, layer.name, _conversion(layer), seen.times[place], why)


def _conversion(layer: Layer) -> str:
    if not layer.inputs or not layer.outputs:
        return ""
    return f"{type_and_layout(layer.inputs[0])} → {type_and_layout(layer.outputs[0])}"


def _untold_moves(fates: Sequence[Fate], has_model: bool) -> Iterable[str]:
    """A sentence for each reason why moves cannot be told."""
    reasons = Counter(each.move.why for each in fates if each.move.place == CANNOT_TELL)
    for why, number in reasons.items():
        hint = "" if has_model else "; the ONNX model tells (--onnx)"
        yield f"cannot tell whether {counted(number, 'Q/DQ', 'Q/DQ')} moved over what commutes with them: {why}{hint}"


def _coverage(seen: Inspected) -> tuple[tuple[Coverage, ...], float]:
    flow = seen.flow
    layers: dict[str, int] = {}
    times: dict[str, float] = {}
    macs: dict[str, float] = {}
    products = known = 0
    for place, (layer, work) in enumerate(zip(seen.layers, seen.performance.works)):
        label = "copies" if flow.is_copy(place) else flow.reads[place].label
        layers[label] = layers.get(label, 0) + 1
        time = seen.times[place]
        times[label] = times.get(label, 0.0) + (time if math.isfinite(time) else 0.0)
        if work.macs is not None:
            macs[label] = macs.get(label, 0.0) + work.macs
        if layer.type in PRODUCTS:
            products += 1
            known += work.macs is not None
    quantized = {each.label for each in QUANTIZED}
    order = sorted(layers, key=lambda label: (label not in quantized, -times[label], label))
    total, all_macs = seen.total_ms, sum(macs.values())
    rows = tuple(
        Coverage(
            label,
            layers[label],
            times[label] if seen.is_timed else math.nan,
            times[label] / total if seen.is_timed else math.nan,
            macs.get(label, 0.0),
            macs.get(label, 0.0) / all_macs if all_macs else math.nan,
        )
        for label in order
    )
    return rows, known / products if products else math.nan


def _junctions(seen: Inspected) -> Iterable[Junction]:
    flow = seen.flow
    for place, layer in enumerate(seen.layers):
        found = [("add", each) for each in flow.adds(place)]
        found += [("concatenation", each) for each in operations_of(layer) if operator_word(each) in _CONCATS]
        if not found:
            continue
        data = QUANTIZED | FLOATS
        reads = tuple(each.precision for each in layer.inputs if each.data_type in data)
        writes = tuple(each.precision for each in layer.outputs if each.data_type in data)
        is_quantized = bool(reads and writes) and all(
            each.data_type in QUANTIZED for each in (*layer.inputs, *layer.outputs) if each.data_type in data
        )
        for kind, operation in found:
            yield Junction(shortened(operation), kind, layer.index, reads, writes, is_quantized)
