"""Quantized convolutions whose results leave in floats.

What it finds: convolutions (and matrix products, where a separate kernel quantizes their result again) that read INT8
or FP8 and write FP32, FP16 or BF16, grouped by what keeps them from writing the quantized type: a residual add, a
pooling, another operator that runs in floats, or the engine's output.
Why it matters: the result takes two or four times the bytes, a further kernel has to quantize it for the next layer,
and kernels with quantized output, which are the fastest, are ruled out.
What to try: quantize what the result is needed for: put QuantizeLinear/DequantizeLinear on the residual branch before
the add (both inputs of the add then come from a DequantizeLinear), before a pooling, and behind the activation, so that
the activation fuses into the convolution. Activations that TensorRT does not fuse into INT8 convolutions (LeakyReLU or
SiLU, by release) are replaced by ReLU or left behind the quantization.
Does not apply: a result that is an output of the engine is told, but it is expected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Rule
from trex.rules.type_flow import CONVOLUTIONS, FLOATS, POOLINGS, PRODUCTS, Flow
from trex.rules.wording import listed, main_operation, ms, priced

ADD, POOLING, OUTPUT, OPERATOR, SEPARATE = "residual add", "pooling", "output", "operator", "separate quantization"
_ADVICE = {
    ADD: (
        "add QuantizeLinear/DequantizeLinear on the residual branch, directly before the add, with the scale of the "
        "other branch's input where they may share it",
        "pytorch-quantization: residual_quantizer = TensorQuantizer(…) on the identity before `out += identity`; "
        "Model Optimizer: quantize the inputs of the add as well",
    ),
    POOLING: (
        "put QuantizeLinear/DequantizeLinear before the pooling too: it then runs in INT8, and a max pooling behind "
        "Conv + ReLU may become one ConvActPool kernel",
    ),
    OUTPUT: (
        "expected: results of a network are mostly read as floats; leave it, or end the network with QuantizeLinear "
        "where the application can read INT8",
    ),
    OPERATOR: ("quantize the input of the operator named, or move QuantizeLinear before it if it commutes with it",),
    SEPARATE: (
        "move QuantizeLinear directly behind the activation, with nothing between that does not fuse; replace an "
        "activation that does not fuse into quantized convolutions (LeakyReLU, SiLU) by ReLU",
    ),
}
_MOST_TOLD = 30
_CONFIDENCE = {ADD: 0.9, POOLING: 0.9, OUTPUT: 1.0, OPERATOR: 0.7, SEPARATE: 0.6}


@dataclass(slots=True)
class _Group:
    places: list[int] = field(default_factory=list)
    blockers: list[str] = field(default_factory=list)
    conversions: dict[int, None] = field(default_factory=dict)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    flow = seen.flow
    groups: dict[str, _Group] = {}
    unknown = []
    for place in flow.quantized_places:
        layer = seen.layers[place]
        if layer.type not in PRODUCTS:
            continue
        if flow.writes[place] not in FLOATS:
            if layer.outputs and not flow.writes[place].is_known:
                unknown.append(layer.index)
            continue
        conversions = [each for each in seen.after(place) if flow.quantizes(each)]
        if layer.type not in CONVOLUTIONS and not conversions:
            continue
        kind, blockers = _blocker(seen, flow, place)
        group = groups.setdefault(kind, _Group())
        group.places.append(place)
        group.blockers += blockers
        group.conversions |= dict.fromkeys(conversions)
    for kind, group in groups.items():
        yield _finding(seen, flow, kind, group)
    if unknown:
        yield CannotTell("these quantized layers write tensors of unknown type", "", tuple(unknown))


def _blocker(seen: Inspected, flow: Flow, place: int) -> tuple[str, list[str]]:
    """What keeps the layer from writing the quantized type, and the names of the operators that do."""
    residual = flow.residual(place)
    if residual is not None and residual.data_type in FLOATS:
        writer = flow.writer_of(place, residual.name)
        if writer is None or not flow.dequantizes(writer):
            return ADD, list(flow.adds(place)) or [f"the second input of {main_operation(seen.layers[place])}"]
    readers = [each for each in flow.readers(place) if not flow.quantizes(each)]
    read = {tensor.name for tensor in seen.layers[place].outputs}
    for reader in readers:
        added = flow.residual(reader)
        if added is not None and flow.adds(reader) and (added.name in read or not flow.is_quantized(reader)):
            return ADD, list(flow.adds(reader))
    pools = [each for each in readers if seen.layers[each].type in POOLINGS]
    if pools:
        return POOLING, [main_operation(seen.layers[each]) for each in pools]
    if flow.writes_binding(place):
        return OUTPUT, [tensor.name for tensor in seen.layers[place].outputs if tensor.name in seen.outputs]
    if readers:
        return OPERATOR, [main_operation(seen.layers[each]) for each in readers]
    quantizing = [each for each in flow.readers(place) if flow.quantizes(each)]
    return SEPARATE, [main_operation(seen.layers[each]) for each in quantizing]


def _finding(seen: Inspected, flow: Flow, kind: str, group: _Group) -> Finding:
    layers = [seen.layers[place] for place in group.places]
    into = listed(flow.writes[place].label for place in group.places)
    number = len(layers)
    noun = "quantized layers write" if number > 1 else "quantized layer writes"
    distinct = list(dict.fromkeys(group.blockers))
    subject = f"{number} {noun} {into}"
    reasons = {
        ADD: f"because of {'residual adds' if len(distinct) > 1 else 'a residual add'}: {listed(distinct, 12)}",
        POOLING: f"for a pooling that runs in floats: {listed(distinct)}",
        OUTPUT: f"as an output of the engine, which is expected: {listed(distinct)}",
        OPERATOR: f"for what runs in floats: {listed(distinct)}",
        SEPARATE: f"and a separate kernel quantizes it: {listed(distinct)}",
    }
    conversions = list(group.conversions)
    stake = {} if kind == OUTPUT else seen.stake(conversions)
    for place in group.places if kind != OUTPUT else ():
        stake |= seen.stake([place], flow.saved_share(place, seen.layers[place].outputs))
    times = seen.times_ms
    evidence = [
        Evidence("layers", number),
        Evidence("blocked by", listed(distinct, _MOST_TOLD)),
        Evidence("their time", float(times[group.places].sum()), "ms"),
        Evidence("kernels that quantize the result", len(conversions)),
    ]
    if conversions:
        evidence.append(Evidence("time of these kernels", float(times[conversions].sum()), "ms"))
    dearest = sorted(group.places, key=lambda place: -float(times[place]) if seen.is_timed else place)[:_MOST_TOLD]
    told = ", ".join(f"{main_operation(seen.layers[place])} {ms(float(times[place]))}" for place in dearest)
    evidence.append(Evidence("the dearest", told))
    behind = ""
    if conversions and kind != OUTPUT:
        cost = priced(float(times[conversions].sum()), seen.total_ms)
        behind = (
            f"; {len(conversions)} further kernel{'s quantize' if len(conversions) > 1 else ' quantizes'} it: {cost}"
        )
    return Finding(
        f"{subject} {reasons[kind]}{behind}",
        layers=tuple(layer.index for layer in layers),
        at_stake=stake,
        formula=""
        if kind == OUTPUT
        else "time of the quantizing kernels + layer time × output bytes · (1 − 8 / bits) "
        "/ (input + output + weight bytes)",
        evidence=tuple(evidence),
        advice=_ADVICE[kind],
        documentation=(
            "TensorRT Developer Guide: Working with Quantized Types, Q/DQ Placement Recommendations",
            "NVIDIA/TensorRT issues 993, 1144, 1862, 2204",
        ),
        proof="after the change the layers' output is INT8 or FP8 and the QuantizeLinear kernels are gone",
        confidence=_CONFIDENCE[kind],
        severity=Severity.NOTE if kind == OUTPUT else None,
        tensors=tuple(tensor.name for layer in layers for tensor in layer.outputs),
    )


RULE = Rule("QDQ001", "quantized layers that write floats", Severity.WARNING, check)
