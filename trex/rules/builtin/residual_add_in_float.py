"""Residual adds that run in floats between quantized layers.

What it finds: adds, fused into a quantized convolution or separate, that read or write floats although their operands
come from quantized layers.
Why it matters: the residual is stored and read with two or four times the bytes, another kernel has to quantize the
sum, and the convolution cannot write the quantized type.
What to try: quantize the residual branch: QuantizeLinear/DequantizeLinear directly before the add, so that each of its
inputs comes from a DequantizeLinear. TensorRT then fuses convolution, add, activation and the following quantization.
Does not apply: adds that QDQ001 lists as the reason why convolutions write floats; adds whose sum is an output of the
engine; engines without quantized layers; adds in Myelin's INT8 convolutions, which read residuals in floats and write
floats whatever is quantized (TensorRT for RTX 1.7).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.tensor import Tensor
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.eight_bits import FORMULA as EIGHT_BITS
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule
from trex.rules.type_flow import FLOATS
from trex.rules.wording import QDQ_PLACEMENT, TREX_BLOG, cost_of, listed, main_operation, names_of, types_and_layouts


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    flow = engine.flow
    if not flow.quantized_positions:
        return
    unknown = []
    for position, layer in enumerate(engine.layers):
        if len(layer.inputs) < 2 or flow.writes[position] not in FLOATS or flow.writes_binding(position):
            continue
        if flow.writes_sums(position):
            continue
        residual = flow.residual(position)
        if residual is None:
            if flow.is_quantized(position) and any(not tensor.data_type.is_known for tensor in layer.inputs[1:]):
                unknown.append(position)
            continue
        if flow.is_quantized(position):
            if residual.data_type in FLOATS:
                yield _finding(engine, position, residual)
        elif flow.adds(position) and any(flow.is_quantized(p) or flow.dequantizes(p) for p in flow.writers(position)):
            yield _finding(engine, position, residual)
    if unknown:
        yield Unchecked("these quantized layers read a second tensor of unknown type", layers=engine.indexes(unknown))


def _finding(engine: AnalyzedEngine, position: int, residual: Tensor) -> Finding:
    layer, flow = engine.layers[position], engine.flow
    adds = flow.adds(position)
    after = [neighbor for neighbor in engine.after(position) if flow.quantizes(neighbor)]
    before = [neighbor for neighbor in engine.before(position) if flow.dequantizes(neighbor)]
    writer = flow.writer_of(position, residual.name)
    runs = "run" if len(adds) > 1 else "runs"
    name = listed(adds) or f"the add in {main_operation(layer)}"
    type_ = flow.writes[position].label
    floats = [tensor for tensor in (residual, *layer.outputs) if tensor.data_type in FLOATS]
    if writer is not None and flow.dequantizes(writer):
        readers = names_of((reader for reader in flow.readers(position) if not flow.quantizes(reader)), engine)
        message = (
            f"{name} {runs} in {type_} although its residual is quantized: {names_of([writer], engine)} converts it "
            f"back to {residual.precision}" + (f", because {readers} reads the sum in {type_}" if readers else "")
        )
        fix: tuple[str, ...] = (
            f"put QuantizeLinear/DequantizeLinear after the sum, before {readers or 'its reader'}, so that the layer "
            "writes the quantized type",
        )
    else:
        message = f"{name} {runs} in {type_}: its residual input {residual.name!r} is not quantized" + (
            f" (written by {names_of([writer], engine)})" if writer is not None else ""
        )
        fix = (
            f"put QuantizeLinear/DequantizeLinear on the residual branch {residual.name!r}, directly before "
            f"{name if adds else 'the add'}",
            "pytorch-quantization: residual_quantizer = TensorQuantizer(…) on the identity before `out += identity`",
        )
    if after:
        message += f"; {names_of(after, engine)} then quantizes the sum: {cost_of(after, engine)}"
    return Finding(
        message,
        layers=engine.indexes((position, *before, *after)),
        main_layers=(layer.index,),
        savings=engine.savings([*before, *after])
        | engine.savings([position], engine.eight_bits.share(position, floats)),
        formula=f"time of the kernels that quantize the sum or dequantize the residual + {EIGHT_BITS}",
        evidence=(
            Evidence("reads", types_and_layouts(layer.inputs)),
            Evidence("writes", types_and_layouts(layer.outputs)),
            Evidence("time of the layer", engine.times[position], "ms"),
        ),
        fix=fix,
        documentation=(QDQ_PLACEMENT, TREX_BLOG, "NVIDIA/TensorRT issues 1992, 3861"),
        how_to_check="the layer reads its residual and writes its sum in the quantized type",
        confidence=0.9 if adds else 0.7,
        tensors=(residual.name,),
    )


RULE = Rule("QDQ002", "residual adds in floats", Severity.WARNING, check, yields_to=("QDQ001",))
