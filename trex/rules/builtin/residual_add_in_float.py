"""Residual adds that run in floats between quantized layers.

What it finds: adds, fused into a quantized convolution or by themselves, that read or write floats although what they
add comes from quantized layers.
Why it matters: the residual is kept and read in two or four times the bytes, the sum has to be quantized by a kernel
of its own, and the convolution cannot write the quantized type.
What to try: quantize the residual branch: QuantizeLinear/DequantizeLinear directly before the add, so that each of its
inputs comes from a DequantizeLinear. TensorRT then fuses convolution, add, activation and the following quantization.
Does not apply: adds whose sum is an output of the engine; engines without quantized layers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.tensor import Tensor
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.precision_map import known_ms
from trex.rules.rule import Rule
from trex.rules.type_flow import FLOATS, Flow
from trex.rules.wording import listed, main_operation, priced, type_and_layout


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    flow = seen.flow
    if not flow.quantized_places:
        return
    unknown = []
    for place, layer in enumerate(seen.layers):
        if len(layer.inputs) < 2 or flow.writes[place] not in FLOATS or flow.writes_binding(place):
            continue
        residual = flow.residual(place)
        if residual is None:
            if flow.is_quantized(place) and any(not each.data_type.is_known for each in layer.inputs[1:]):
                unknown.append(layer.index)
            continue
        adds = flow.adds(place)
        if flow.is_quantized(place):
            if residual.data_type in FLOATS:
                yield _finding(seen, flow, place, residual, adds)
        elif adds and any(_comes_quantized(flow, each) for each in flow.writers(place)):
            yield _finding(seen, flow, place, residual, adds)
    if unknown:
        yield CannotTell("these quantized layers read a second tensor of unknown type", "", tuple(unknown))


def _comes_quantized(flow: Flow, place: int) -> bool:
    return flow.is_quantized(place) or flow.dequantizes(place)


def _finding(seen: Inspected, flow: Flow, place: int, residual: Tensor, adds: tuple[str, ...]) -> Finding:
    layer = seen.layers[place]
    after = [each for each in seen.after(place) if flow.quantizes(each)]
    before = [each for each in seen.before(place) if flow.dequantizes(each)]
    writer = flow.writer_of(place, residual.name)
    name = listed(adds) or f"the add in {main_operation(layer)}"
    floats = [each for each in (*layer.inputs, *layer.outputs) if each.data_type in FLOATS]
    stake = seen.stake([*before, *after]) | seen.stake([place], flow.saved_share(place, floats))
    is_dequantized = writer is not None and flow.dequantizes(writer)
    others = [each for each in flow.readers(place) if not flow.quantizes(each)]
    if is_dequantized and writer is not None:
        what = listed(main_operation(seen.layers[each]) for each in others)
        message = (
            f"{name} runs in {flow.writes[place].label} although its residual is quantized: "
            f"{main_operation(seen.layers[writer])} turns it back into {residual.precision}"
            + (f", because {what} reads the sum in {flow.writes[place].label}" if what else "")
        )
        advice: tuple[str, ...] = (
            f"put QuantizeLinear/DequantizeLinear behind the sum, before {what or 'what reads it'}, so that it is "
            "written quantized",
        )
    else:
        message = (
            f"{name} runs in {flow.writes[place].label}: its residual input {residual.name!r} is not quantized"
            + (f" (written by {main_operation(seen.layers[writer])})" if writer is not None else "")
        )
        advice = (
            f"put QuantizeLinear/DequantizeLinear on the residual branch {residual.name!r}, directly before "
            f"{name if adds else 'the add'}",
            "pytorch-quantization: residual_quantizer = TensorQuantizer(…) on the identity before `out += identity`",
        )
    if after:
        cost = priced(known_ms(seen, after), seen.total_ms)
        message += f"; {listed(main_operation(seen.layers[each]) for each in after)} then quantizes the sum: {cost}"
    return Finding(
        message,
        layers=(layer.index, *(seen.layers[each].index for each in (*before, *after))),
        about=(layer.index,),
        at_stake=stake,
        formula="time of the kernels that quantize the sum or dequantize the residual + layer time × float bytes · "
        "(1 − 8 / bits) / (input + output + weight bytes)",
        evidence=(
            Evidence("reads", ", ".join(type_and_layout(each) for each in layer.inputs)),
            Evidence("writes", ", ".join(type_and_layout(each) for each in layer.outputs)),
            Evidence("time of the layer", seen.times[place], "ms"),
        ),
        advice=advice,
        documentation=(
            "TensorRT Developer Guide: Working with Quantized Types, Q/DQ Placement Recommendations",
            "NVIDIA Technical Blog: Exploring NVIDIA TensorRT Engines with TREx",
            "NVIDIA/TensorRT issues 1992, 3861",
        ),
        proof="after the change the layer reads its residual and writes its sum in the quantized type",
        confidence=0.9 if adds else 0.7,
        tensors=(residual.name,),
    )


RULE = Rule("QDQ002", "residual adds in floats", Severity.WARNING, check)
