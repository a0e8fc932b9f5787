"""Quantization that became a kernel of its own.

What it finds: layers that only quantize or dequantize and fused with no neighbor: Quantize and Dequantize layers,
generated kernels (``kgen``) whose ONNX origins are only QuantizeLinear and DequantizeLinear, Scale layers of that name
or with INT8 or FP8 on one side.
Why it matters: each reads and writes a whole tensor to compute next to nothing; its neighbors run in floats for it.
What to try: place the pair directly before an operator that takes quantized inputs, without a constant, Pad, Reshape or
Cast between, with the same kind of scale (per tensor for activations), and fold Q/DQ of weights into constants.
Does not apply: kernels that transpose as well, which stay without it; copies (REF005, REF003) and quantization of
constants (CONST001), which have rules of their own; Scale layers that compute in floats; the result of Myelin's INT8
convolutions and GEMMs, which TensorRT for RTX 1.7 always quantizes in another kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.layer import Layer
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.constant_work import constant_positions
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import is_quantization, operations_of, operator_word
from trex.rules.rule import Rule
from trex.rules.type_flow import QUANTIZED
from trex.rules.wording import DETAILED_HINT, cost_of, listed, names_of, types_and_layouts

_TYPES = frozenset({"Quantize", "Dequantize", "quantize", "dequantize"})
_GENERATED = frozenset({"kgen", "PointWise", "PointWiseV2", "ElementWise"})
_TOKENS = frozenset({"Quan", "Dequ", "Qua", "Deq"})
_FREE = frozenset({"cast", "reshape", "identity"})


def is_standalone(layer: Layer) -> bool:
    """Whether it only quantizes or dequantizes; casts and reshapes, which are no work, do not count."""
    if layer.type in _TYPES:
        return True
    if layer.type not in _GENERATED:
        return False
    tokens = layer.name_parts.tokens
    operations = layer.origins or (() if tokens else operations_of(layer))
    if operations:
        return any(map(is_quantization, operations)) and all(
            is_quantization(operation) or operator_word(operation) in _FREE for operation in operations
        )
    return bool(tokens) and all(token in _TOKENS for token in tokens)


def _quantizing_scale(engine: AnalyzedEngine, position: int) -> bool | None:
    """None if the name and the types don't show it."""
    reads, writes = engine.flow.reads[position], engine.flow.writes[position]
    if any(map(is_quantization, operations_of(engine.layers[position]))) or (reads in QUANTIZED) != (
        writes in QUANTIZED
    ):
        return True
    return False if reads.is_known or writes.is_known else None


def _quantizes_sums(engine: AnalyzedEngine, position: int) -> bool:
    writers = engine.before(position)
    return bool(writers) and engine.flow.writes[position] in QUANTIZED and all(map(engine.flow.writes_sums, writers))


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    unknown = []
    constant = frozenset(constant_positions(engine))
    for position in engine.of_type(*_TYPES, *_GENERATED):
        layer = engine.layers[position]
        if position in constant:
            continue
        if is_standalone(layer) and not _quantizes_sums(engine, position):
            yield _finding(engine, position)
        elif layer.type == "kgen" and not layer.origins and not layer.name_parts.tokens:
            unknown.append(position)
    scales = []
    for position in engine.of_type("Scale"):
        if position in constant:
            continue
        quantizes = _quantizing_scale(engine, position)
        if quantizes:
            yield _finding(engine, position)
        elif quantizes is None:
            scales.append(position)
    if scales:
        yield Unchecked("the types of these Scale layers' tensors are unknown", layers=engine.indexes(scales))
    if unknown and engine.flow.quantized_positions:
        yield Unchecked("what these generated kernels compute is unknown", DETAILED_HINT, engine.indexes(unknown))


def _finding(engine: AnalyzedEngine, position: int) -> Finding:
    layer = engine.layers[position]
    writers = names_of(engine.before(position), engine) or "an input of the engine"
    readers = names_of(engine.after(position), engine) or "an output of the engine"
    is_first = engine.flow.reads_binding(position)
    names = listed(filter(is_quantization, operations_of(layer))) or layer.name
    if is_first:
        fix: tuple[str, ...] = ("expected at an input: pass quantized data and remove it to save its time",)
    elif not engine.before(position):
        fix = (
            "fold it into the constant that it seems to quantize (polygraphy surgeon sanitize --fold-constants, or "
            "export the weights with a DequantizeLinear only)",
        )
    else:
        fix = (
            "place the Q/DQ pair directly before an operator that takes quantized inputs; quantize the one of "
            f"{writers} and {readers} that runs in floats, or leave both unquantized",
            "scales of activations per tensor, not per channel; no constant, Pad, Reshape or Cast between Q/DQ and its "
            "operator",
        )
    return Finding(
        f"{names} is a kernel of its own between {writers} and {readers}: {cost_of([position], engine)}",
        layers=(layer.index,),
        savings=engine.savings([position]),
        formula="the layer's time",
        evidence=(
            Evidence("type of layer", layer.type),
            Evidence("reads", types_and_layouts(layer.inputs)),
            Evidence("writes", types_and_layouts(layer.outputs)),
            Evidence("time", engine.times[position], "ms"),
        ),
        fix=fix,
        documentation=(
            "TensorRT Developer Guide: Working with Quantized Types, Q/DQ Limitations",
            "NVIDIA/TensorRT issue 2592",
        ),
        how_to_check="no layer has only QuantizeLinear or DequantizeLinear among its origins",
        confidence=0.8,
        severity=Severity.NOTE if is_first else None,
    )


RULE = Rule("QDQ004", "quantization as a kernel of its own", Severity.WARNING, check)
