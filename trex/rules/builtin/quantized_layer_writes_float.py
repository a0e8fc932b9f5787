"""Quantized convolutions that write floats.

What it finds: convolutions (and matrix products whose result a separate kernel quantizes) that read INT8 or FP8 and
write FP32, FP16 or BF16, grouped by the cause: a residual add, a pooling, another operator that runs in floats, or a
quantization in a kernel of its own. Of a convolution whose sums a generated kernel of Myelin rescales, activates and
quantizes (all INT8 convolutions of TensorRT for RTX 1.7), what counts is the kernel: it is found if it writes floats as
well.
Why it matters: the result takes two or four times the bytes, another kernel has to quantize it for the next layer, and
the fastest kernels, those with quantized output, do not apply.
What to try: quantize the input of whatever reads the result: put QuantizeLinear/DequantizeLinear on the residual branch
before the add (both inputs of the add then come from a DequantizeLinear), before a pooling, and after the activation,
so that the activation fuses into the convolution. Replace activations that TensorRT does not fuse into INT8
convolutions (LeakyReLU or SiLU, by release) by ReLU, or place them after the quantization.
Does not apply: outputs of the engine, which applications mostly read as floats; poolings between quantized layers,
which QDQ008 reports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from trex.core.counted import counted
from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.plan.listed_operands import product_type
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.eight_bits import FORMULA as EIGHT_BITS
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import ADDS, CONVOLUTIONS, GEMMS, POOLINGS, operations_of, operator_word
from trex.rules.rule import Rule
from trex.rules.type_flow import FLOATS, QUANTIZED
from trex.rules.wording import QDQ_PLACEMENT, cost, listed, main_operation, main_operation_of, ms

ADD, POOLING, OUTPUT, OPERATOR, SEPARATE = "residual add", "pooling", "output", "operator", "separate quantization"
_FIXES = {
    ADD: (
        "add QuantizeLinear/DequantizeLinear on the residual branch, directly before the add, with the scale of the "
        "other branch's input if they can share it",
        "pytorch-quantization: residual_quantizer = TensorQuantizer(…) on the identity before `out += identity`; "
        "Model Optimizer: quantize the inputs of the add as well",
    ),
    POOLING: (
        "put QuantizeLinear/DequantizeLinear before the pooling too: it then runs in INT8, and a max pooling after "
        "Conv + ReLU may become one ConvActPool kernel",
    ),
    OPERATOR: ("quantize the input of the operator named, or move QuantizeLinear before it if it commutes with it",),
    SEPARATE: (
        "move QuantizeLinear directly after the activation, with nothing between that does not fuse; replace an "
        "activation that does not fuse into quantized convolutions (LeakyReLU, SiLU) by ReLU",
    ),
}
_RTX_FIXES = {
    POOLING: (
        "quantize what else reads the pooling (the residual branch), or put QuantizeLinear/DequantizeLinear before the "
        "pooling: it then runs in INT8 only",
    ),
}
_MAX_SHOWN = 30
_CONFIDENCE = {ADD: 0.9, POOLING: 0.9, OPERATOR: 0.7, SEPARATE: 0.6}
_FORMULA = (
    f"time of the quantizing kernels + {EIGHT_BITS}; of a float copy next to the quantized tensor all output bytes, "
    "what its readers save with 8 bits, a second pooling"
)


@dataclass(slots=True)
class _FloatWriters:
    """Quantized layers that write floats for one kind of reason.

    blockers: the operators that are the reason. blocking: positions of their layers, each maybe the reason of many
    others. copies: {position: share of its time}, what the float copies next to quantized tensors take of their writers
    and readers.
    """

    positions: list[int] = field(default_factory=list)
    blockers: list[str] = field(default_factory=list)
    conversions: dict[int, None] = field(default_factory=dict)
    copies: dict[int, float] = field(default_factory=dict)
    blocking: set[int] = field(default_factory=set)

    def block(self, layers: Iterable[int], operators: Callable[[int], Iterable[str]]) -> None:
        """Adds these layers' operators to the reasons, once for each layer."""
        for layer in layers:
            if layer not in self.blocking:
                self.blocking.add(layer)
                self.blockers += operators(layer)


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    flow = engine.flow
    groups: dict[str, _FloatWriters] = {}
    unknown = []
    epilogues: dict[int, None] = {}
    in_islands = _writers_of_poolings(engine)

    def main(position: int) -> list[str]:
        return [main_operation_of(position, engine)]

    def adds(position: int) -> Sequence[str]:
        return flow.adds(position) or [f"the second input of {main_operation_of(position, engine)}"]

    for position in flow.quantized_positions:
        layer = engine.layers[position]
        kind = product_type(layer)
        if kind not in GEMMS:
            continue
        if flow.writes[position] not in FLOATS:
            if layer.outputs and not flow.writes[position].is_known:
                unknown.append(position)
            continue
        if flow.has_epilogue(position):
            epilogues |= dict.fromkeys(flow.readers(position))
            continue
        conversions = [after for after in engine.after(position) if flow.quantizes(after)]
        if kind not in CONVOLUTIONS and not conversions:
            continue
        kind, blocking = _blocking(engine, position)
        if kind == OUTPUT or (kind == POOLING and position in in_islands):
            continue
        group = groups.setdefault(kind, _FloatWriters())
        group.positions.append(position)
        group.block(blocking, adds if kind == ADD else main)
        group.conversions |= dict.fromkeys(conversions)
    inputs, adds_of = _Inputs(engine), dict[int, list[str]]()
    for position in epilogues:
        read_by = inputs.of_readers(position)
        if read_by and flow.writes[position] in QUANTIZED:
            new = {reader: _adds_of_equals(engine.layers[reader]) for reader in read_by if reader not in adds_of}
            adds_of |= new
            has_adds = any(adds_of[reader] for reader in read_by)
            is_pooling = any(engine.layers[reader].type in POOLINGS for reader in read_by)
            group = groups.setdefault(ADD if has_adds else POOLING if is_pooling else OPERATOR, _FloatWriters())
            group.positions.append(position)
            group.block(read_by, adds_of.__getitem__ if has_adds else main)
            for at, share in _shares_of_copy(engine, position, read_by).items():
                group.copies[at] = min(1.0, group.copies.get(at, 0.0) + share)
    for kind, group in groups.items():
        yield _finding(engine, kind, group)
    if unknown:
        yield Unchecked("these quantized layers write tensors of unknown type", layers=engine.indexes(unknown))


def _writers_of_poolings(engine: AnalyzedEngine) -> set[int]:
    """The layers that write floats for poolings between quantized layers, as QDQ008 reports."""
    islands = engine.precision_map.islands
    return {
        writer
        for island in islands
        if all(engine.layers[position].type in POOLINGS for position in island.layers)
        for writer in island.writers
    }


class _Inputs:
    """What each layer reads by name, indexed once: many may write floats for one layer."""

    def __init__(self, engine: AnalyzedEngine) -> None:
        self._engine = engine
        self._by_name: dict[int, dict[str, list[Tensor]]] = {}

    def of_readers(self, writer: int) -> dict[int, list[Tensor]]:
        """{reader of the writer's floats: the inputs that they are}."""
        names = dict.fromkeys(tensor.name for tensor in _floats(self._engine.layers[writer]))
        read_by = {}
        for reader in self._engine.after(writer):
            if reader not in self._by_name:
                inputs = self._by_name.setdefault(reader, {})
                for tensor in self._engine.layers[reader].inputs:
                    inputs.setdefault(tensor.name, []).append(tensor)
            if read := [tensor for name in names for tensor in self._by_name[reader].get(name, ())]:
                read_by[reader] = read
        return read_by


def _shares_of_copy(engine: AnalyzedEngine, writer: int, read_by: Mapping[int, list[Tensor]]) -> dict[int, float]:
    """{position: share of its time} without the float copy: the writer's bytes of it, what its readers save with 8
    bits, all of a pooling that also runs quantized.
    """
    floats = _floats(engine.layers[writer])
    moved = engine.layers[writer].total_footprint_bytes
    part = sum(tensor.size_bytes or 0 for tensor in floats) / moved if moved else 0.0
    shares = {writer: engine.eight_bits.share_of_bytes(writer, part)}
    poolings = {after for after in engine.after(writer) if engine.layers[after].type in POOLINGS}
    is_twice = any(map(engine.flow.is_quantized, poolings))
    for reader, read in read_by.items():
        is_twin = is_twice and reader in poolings
        shares[reader] = 1.0 if is_twin else engine.eight_bits.share(reader, read)
    return shares


def _adds_of_equals(layer: Layer) -> list[str]:
    """Adds of a kernel that reads two tensors of one shape, whatever the shape that it writes."""
    shapes = [tensor.shape for tensor in layer.inputs]
    if len(set(shapes)) == len(shapes):
        return []
    return [name for name in operations_of(layer) if operator_word(name) in ADDS]


def _blocking(engine: AnalyzedEngine, position: int) -> tuple[str, list[int]]:
    """What keeps the layer from writing the quantized type, and the layers that contain it."""
    flow, layers = engine.flow, engine.layers
    residual = flow.residual(position)
    if residual is not None and residual.data_type in FLOATS:
        writer = flow.writer_of(position, residual.name)
        if writer is None or not flow.dequantizes(writer):
            return ADD, [position]
    readers = [reader for reader in flow.readers(position) if not flow.quantizes(reader)]
    written = {tensor.name for tensor in layers[position].outputs}
    for reader in readers:
        added = flow.residual(reader)
        if added is not None and (added.name in written or (flow.adds(reader) and not flow.is_quantized(reader))):
            return ADD, [reader]
    poolings = [reader for reader in readers if layers[reader].type in POOLINGS]
    if poolings:
        return POOLING, poolings
    if flow.writes_binding(position):
        return OUTPUT, []
    if readers:
        return OPERATOR, readers
    return SEPARATE, [reader for reader in flow.readers(position) if flow.quantizes(reader)]


def _floats(layer: Layer) -> list[Tensor]:
    return [tensor for tensor in layer.outputs if tensor.data_type in FLOATS]


def _finding(engine: AnalyzedEngine, kind: str, group: _FloatWriters) -> Finding:
    layers, times = engine.layers, engine.times_ms
    positions, conversions = group.positions, list(group.conversions)
    types = listed(tensor.precision for position in positions for tensor in _floats(layers[position]))
    blockers = list(dict.fromkeys(group.blockers))
    reasons = {
        ADD: f"because of {'residual adds' if len(blockers) > 1 else 'a residual add'}: {listed(blockers, 12)}",
        POOLING: f"for a pooling that runs in floats: {listed(blockers)}",
        OPERATOR: f"for an operator that runs in floats: {listed(blockers)}",
        SEPARATE: f"and a separate kernel quantizes it: {listed(blockers)}",
    }
    savings = engine.savings(conversions)
    for position in positions:
        if position not in group.copies:
            savings |= engine.savings([position], engine.eight_bits.share(position, layers[position].outputs))
    for position, share in group.copies.items():
        savings |= engine.savings([position], share) if share else {}
    evidence = [
        Evidence("layers", len(positions)),
        Evidence("blocked by", listed(blockers, _MAX_SHOWN)),
        Evidence("their time", float(times[positions].sum()), "ms"),
        Evidence("kernels that quantize the result", len(conversions)),
    ]
    extra = ""
    if conversions:
        conversions_ms = float(times[conversions].sum())
        evidence.append(Evidence("time of these kernels", conversions_ms, "ms"))
        kernels = counted(len(conversions), "extra kernel quantizes", "extra kernels quantize")
        extra = f"; {kernels} the result: {cost(conversions_ms, engine)}"
    slowest = engine.slowest_first(positions)[:_MAX_SHOWN]
    longest = ", ".join(f"{main_operation(layers[position])} {ms(engine.times[position])}" for position in slowest)
    evidence.append(Evidence("longest", longest))
    subject = counted(len(positions), "quantized layer writes", "quantized layers write")
    return Finding(
        f"{subject} {types} {reasons[kind]}{extra}",
        layers=engine.indexes((*positions, *group.copies)),
        main_layers=engine.indexes(positions),
        savings=savings,
        formula=_FORMULA,
        evidence=tuple(evidence),
        fix=_RTX_FIXES.get(kind, _FIXES[kind]) if engine.is_for_rtx else _FIXES[kind],
        documentation=(QDQ_PLACEMENT, "NVIDIA/TensorRT issues 993, 1144, 1862, 2204"),
        how_to_check="the layers write INT8 or FP8 and the QuantizeLinear kernels are gone",
        confidence=_CONFIDENCE[kind],
        tensors=tuple(tensor.name for position in positions for tensor in _floats(layers[position])),
    )


RULE = Rule("QDQ001", "quantized layers that write floats", Severity.WARNING, check)
