"""QdqReport: what became of every QuantizeLinear and DequantizeLinear, and how much of the work runs quantized."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from trex.core.counted import counted
from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.operators import QUANTIZES, is_quantization, operations_of, operator_word
from trex.rules.qdq_propagation import MOVED, UNKNOWN, Propagation, PropagationFinder
from trex.rules.type_flow import FLOATS, QUANTIZED
from trex.rules.wording import main_operation_of, repeated_name, shortened, type_and_layout

FUSED, KERNEL, REFORMAT, NOT_NAMED = "fused", "kernel", "reformat", "not named"
STATUSES = {
    FUSED: "computed by the layer that it fused into",
    KERNEL: "a kernel of its own",
    REFORMAT: "a reformat of its own",
    MOVED: "runs on the other side of an operator than the model has it",
    NOT_NAMED: "in the ONNX model, but no layer names it: fused without a trace, folded or removed",
}
_CONCATS = frozenset({"concat", "concatenation"})
_MOST_TYPES = 64
_MOST_REPEATED = 16
_NOT_CHECKED = Propagation(UNKNOWN)
_MODEL_DEQUANTIZES = frozenset({"dequantizelinear"})


@dataclass(frozen=True, slots=True)
class CausedReformat:
    """A reformat that exists because of a Q/DQ. layer: its index. why: in words."""

    layer: int
    layer_name: str
    conversion: str
    time_ms: float
    why: str


@dataclass(frozen=True, slots=True)
class QdqOperation:
    """name: of the ONNX node. quantizes: False for a DequantizeLinear. status: one of ``STATUSES``. layer: index of the
    layer that contains it, None without one; layer_name: its name. time_ms: of a kernel or reformat of its own, else
    NaN. conversion: ``FP16 NCHW → INT8 NC/32HW32`` of these. neighbors: layers before and after a kernel of its own.
    reformats: those that it causes, itself first if it is one; of several Q/DQ in one layer, only the first one lists
    more than 16 of either. propagation: where it runs compared to the model, with
    the evidence.
    """

    name: str
    quantizes: bool
    status: str
    layer: int | None
    layer_name: str
    time_ms: float
    conversion: str = ""
    neighbors: tuple[str, ...] = ()
    reformats: tuple[CausedReformat, ...] = ()
    propagation: Propagation = _NOT_CHECKED


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of one data type: share of the known time and of the known MACs that run in it, 0 … 1. timed: layers with a time.
    What none of its layers has is NaN.
    """

    label: str
    layers: int
    timed: int
    sum_ms: float
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
    """operations: every Q/DQ in execution order, those that no layer names last. coverage: by type, quantized types
    first. junctions: residual adds and concatenations, in execution order. notes: limits of the report, in sentences.
    """

    operations: tuple[QdqOperation, ...]
    coverage: tuple[Coverage, ...]
    junctions: tuple[Junction, ...]
    notes: tuple[str, ...]

    def count(self, status: str) -> int:
        return sum(operation.status == status for operation in self.operations)


def qdq_report(engine: AnalyzedEngine) -> QdqReport:
    """Every Q/DQ that the engine's names and metadata contain, and with an ONNX model those that only it contains."""
    finder = PropagationFinder(engine)
    kernels = _Kernels(engine)
    operations = [_with_propagation(engine, operation, finder, kernels) for operation in _named(engine, kernels)]
    notes = []
    model = engine.plan.model
    if model is not None:
        named = {operation.name for operation in operations}
        for operator in model.operators:
            word = operator_word(operator.type)
            if word in QUANTIZES | _MODEL_DEQUANTIZES and operator.name not in named:
                bare = QdqOperation(operator.name, word in QUANTIZES, NOT_NAMED, None, "", math.nan)
                operations.append(_located(engine, bare, finder, kernels))
    elif operations:
        notes.append("layers name few of the fused DequantizeLinear; --onnx MODEL counts all of them")
    notes += _unknown_propagation(operations, model is not None)
    if not operations:
        others = "; --onnx MODEL shows those of the model" if model is None else ", and the model contains none"
        notes.append(f"no layer names a QuantizeLinear or DequantizeLinear{others}")
    return QdqReport(tuple(_cut(operations)), _coverage(engine), tuple(_junctions(engine)), tuple(notes))


class _Kernels:
    """What is around the kernels that Q/DQ became, once per kernel however many Q/DQ it is."""

    def __init__(self, engine: AnalyzedEngine) -> None:
        self._engine = engine
        named = (
            (position, [operation for operation in operations_of(layer) if is_quantization(operation)])
            for position, layer in enumerate(engine.layers)
        )
        self.quantizations = {position: names for position, names in named if names}
        """{position: the Q/DQ that the layer names}, without layers that name none."""
        self._neighbors: dict[int, tuple[str, ...]] = {}
        self._reformats: dict[int, tuple[CausedReformat, ...]] = {}

    def neighbors(self, position: int) -> tuple[str, ...]:
        """Names of the layers before and after it."""
        names = self._neighbors.get(position)
        if names is None:
            sides = (*self._engine.before(position), *self._engine.after(position))
            names = self._neighbors[position] = tuple(main_operation_of(side, self._engine) for side in sides)
        return names

    def reformats(self, position: int) -> tuple[CausedReformat, ...]:
        reformats = self._reformats.get(position)
        if reformats is None:
            reformats = self._reformats[position] = tuple(self._caused_reformats(position))
        return reformats

    def _caused_reformats(self, position: int) -> Iterable[CausedReformat]:
        """The copy that it is, and the copies between it and its neighbors that change types or layouts for it."""
        engine = self._engine
        if engine.flow.is_copy(position):
            yield _reformat(engine, position, "the Q/DQ itself")
        for neighbor, why in (
            *((before, "writes its input") for before in engine.before(position)),
            *((after, "reads its output") for after in engine.after(position)),
        ):
            if engine.flow.is_copy(neighbor) and neighbor not in self.quantizations:
                yield _reformat(engine, neighbor, why)


def _named(engine: AnalyzedEngine, kernels: _Kernels) -> Iterable[QdqOperation]:
    for position, names in kernels.quantizations.items():
        is_alone = len(names) == len(operations_of(engine.layers[position]))
        status = FUSED if not is_alone else REFORMAT if engine.flow.is_copy(position) else KERNEL
        for name in names:
            yield _operation(engine, position, name, operator_word(name) in QUANTIZES, status, kernels)


def _operation(
    engine: AnalyzedEngine, position: int, name: str, quantizes: bool, status: str, kernels: _Kernels
) -> QdqOperation:
    layer = engine.layers[position]
    layer_name = repeated_name(layer.name)
    if status == FUSED:
        return QdqOperation(name, quantizes, status, layer.index, layer_name, math.nan)
    time, neighbors = engine.times[position], kernels.neighbors(position)
    return QdqOperation(name, quantizes, status, layer.index, layer_name, time, _conversion(layer), neighbors)


def _with_propagation(
    engine: AnalyzedEngine, operation: QdqOperation, finder: PropagationFinder, kernels: _Kernels
) -> QdqOperation:
    """With where it runs compared to the model, and the reformats that it causes."""
    position = None if operation.layer is None else engine.position_of[operation.layer]
    propagation = finder.of(operation.name, operation.quantizes, position)
    is_fused = operation.status == FUSED
    return replace(
        operation,
        status=MOVED if propagation.status == MOVED else operation.status,
        reformats=() if position is None or is_fused else kernels.reformats(position),
        propagation=propagation,
    )


def _located(
    engine: AnalyzedEngine, operation: QdqOperation, finder: PropagationFinder, kernels: _Kernels
) -> QdqOperation:
    """For a Q/DQ that no layer names: the layer that does its work, if the types of adjacent tensors show it."""
    into = finder.of(operation.name, operation.quantizes, None).into
    if into is None:
        return _with_propagation(engine, operation, finder, kernels)
    position = engine.position_of[into]
    status = REFORMAT if engine.flow.is_copy(position) else FUSED
    located = _operation(engine, position, operation.name, operation.quantizes, status, kernels)
    return _with_propagation(engine, located, finder, kernels)


def _cut(operations: Iterable[QdqOperation]) -> Iterable[QdqOperation]:
    """Without most of what the second and later Q/DQ of a layer repeat: a layer of many Q/DQ with many neighbors."""
    listed: set[int | None] = set()
    for operation in operations:
        is_long = max(len(operation.neighbors), len(operation.reformats)) > _MOST_REPEATED
        if not is_long or operation.layer not in listed:
            listed.add(operation.layer)
            yield operation
        else:
            neighbors, reformats = operation.neighbors[:_MOST_REPEATED], operation.reformats[:_MOST_REPEATED]
            yield replace(operation, neighbors=neighbors, reformats=reformats)


def _reformat(engine: AnalyzedEngine, position: int, why: str) -> CausedReformat:
    layer = engine.layers[position]
    return CausedReformat(layer.index, repeated_name(layer.name), _conversion(layer), engine.times[position], why)


def _conversion(layer: Layer) -> str:
    if not layer.inputs or not layer.outputs:
        return ""
    return f"{type_and_layout(layer.inputs[0])} → {type_and_layout(layer.outputs[0])}"


def _unknown_propagation(operations: Sequence[QdqOperation], has_model: bool) -> Iterable[str]:
    """A sentence for each reason why propagation is unknown."""
    reasons = Counter(item.propagation.why for item in operations if item.propagation.status == UNKNOWN)
    for why, number in reasons.items():
        hint = "" if has_model else "; --onnx MODEL shows it"
        yield f"can't check whether {counted(number, 'Q/DQ', 'Q/DQ')} moved: {why}{hint}"


def _coverage(engine: AnalyzedEngine) -> tuple[Coverage, ...]:
    flow, times, works = engine.flow, engine.times, engine.performance.works
    of_label: dict[str, list[int]] = {}
    for position, type_ in enumerate(flow.reads):
        of_label.setdefault("copies" if flow.is_copy(position) else type_.label, []).append(position)
    total = engine.total_ms if engine.is_timed else math.nan
    all_macs = sum(work.macs for work in works if work.macs is not None) or math.nan
    rows = []
    for label, positions in of_label.items():
        timed = sum(math.isfinite(times[position]) for position in positions)
        sum_ms = engine.sum_ms(positions)
        known = [macs for position in positions if (macs := works[position].macs) is not None]
        macs = sum(known) if known else math.nan
        rows.append(Coverage(label, len(positions), timed, sum_ms, sum_ms / total, macs, macs / all_macs))
    quantized = {type_.label for type_ in QUANTIZED}
    return tuple(
        sorted(rows, key=lambda row: (row.label not in quantized, -(row.sum_ms if row.timed else 0.0), row.label))
    )


def _junctions(engine: AnalyzedEngine) -> Iterable[Junction]:
    for position, layer in enumerate(engine.layers):
        operations = [("add", name) for name in engine.flow.adds(position)]
        operations += [("concatenation", name) for name in operations_of(layer) if operator_word(name) in _CONCATS]
        if not operations:
            continue
        reads, writes = _data(layer.inputs), _data(layer.outputs)
        names = {tensor.name for tensor in (*reads, *writes)}
        sums = engine.flow.written_by(names, position, engine.flow.has_epilogue)
        is_quantized = bool(reads and writes) and all(
            tensor.data_type in QUANTIZED or tensor.name in sums for tensor in (*reads, *writes)
        )
        read_types, written_types = map(_types, (reads, writes))
        for kind, name in operations:
            yield Junction(shortened(name), kind, layer.index, read_types, written_types, is_quantized)


def _types(tensors: Sequence[Tensor]) -> tuple[str, ...]:
    """One per tensor, of many with their number: ``FP32 ×40``."""
    types = [tensor.precision for tensor in tensors]
    return tuple(types if len(types) <= _MOST_TYPES else (f"{name} ×{n}" for name, n in Counter(types).items()))


def _data(tensors: Sequence[Tensor]) -> list[Tensor]:
    return [tensor for tensor in tensors if tensor.data_type in QUANTIZED | FLOATS]
