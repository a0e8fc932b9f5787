"""Quantization that became a kernel of its own.

What it finds: layers that do nothing but quantize or dequantize and fused with no neighbor: Quantize and Dequantize
layers, generated kernels (``kgen``) whose ONNX origins are QuantizeLinear and DequantizeLinear only.
Why it matters: each reads and writes a whole tensor to compute next to nothing; its neighbors run in floats for it.
What to try: look at its neighbors: place the pair directly before an operator that takes quantized inputs, let no
constant, Pad, Reshape or Cast stand between, use the same kind of scale (per tensor for activations), and fold Q/DQ of
weights into constants.
Does not apply: copies (REF004, REF003) and Scale layers (QDQ005), which have rules of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.layer import Layer
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Rule
from trex.rules.type_flow import is_quantization as is_quantization_name
from trex.rules.type_flow import operations_of, operator_word
from trex.rules.wording import listed, main_operation, priced, type_and_layout

_TYPES = frozenset({"Quantize", "Dequantize", "quantize", "dequantize"})
_GENERATED = frozenset({"kgen", "PointWise", "PointWiseV2", "ElementWise"})
_TOKENS = frozenset({"Quan", "Dequ", "Qua", "Deq"})
_BESIDE = frozenset({"cast", "reshape", "transpose", "identity"})


def is_standalone(layer: Layer) -> bool:
    """Whether it only quantizes or dequantizes, casts and changes of shape beside it not counted."""
    if layer.type in _TYPES:
        return True
    if layer.type not in _GENERATED:
        return False
    operations = operations_of(layer) if layer.origins or not layer.name_parts.tokens else ()
    if layer.origins:
        operations = layer.origins
    if operations:
        return any(map(is_quantization_name, operations)) and all(
            is_quantization_name(each) or operator_word(each) in _BESIDE for each in operations
        )
    tokens = layer.name_parts.tokens
    return bool(tokens) and all(token in _TOKENS for token in tokens)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    generated = seen.of_type(*_TYPES, *_GENERATED)
    silent = []
    for place in generated:
        layer = seen.layers[place]
        if is_standalone(layer):
            yield _finding(seen, place)
        elif layer.type == "kgen" and not layer.origins and not layer.name_parts.tokens:
            silent.append(layer.index)
    if silent and seen.flow.quantized_places:
        yield CannotTell(
            "neither names nor metadata of these generated kernels tell what they compute",
            "build with --profilingVerbosity=detailed",
            tuple(silent),
        )


def _finding(seen: Inspected, place: int) -> Finding:
    layer = seen.layers[place]
    before, after = seen.before(place), seen.after(place)
    writers = listed(main_operation(seen.layers[each]) for each in before) or "an input of the engine"
    readers = listed(main_operation(seen.layers[each]) for each in after) or "an output of the engine"
    is_first = seen.flow.reads_binding(place)
    is_stored = not before and not is_first
    names = listed(each for each in operations_of(layer) if is_quantization_name(each)) or layer.name
    if is_stored:
        advice: tuple[str, ...] = (
            "it seems to quantize something stored: fold it into the constant (polygraphy surgeon sanitize "
            "--fold-constants, or export the weights with a plain DequantizeLinear)",
        )
    elif is_first:
        advice = ("expected at an input of the engine: feed quantized data and remove it to save it",)
    else:
        advice = (
            f"place the Q/DQ pair directly before an operator that takes quantized inputs; here it stands between "
            f"{writers} and {readers}: whichever of these runs in floats is what to quantize, or to leave unquantized",
            "scales of activations per tensor, not per channel; no constant, Pad, Reshape or Cast between Q/DQ and the "
            "operator they are meant for",
        )
    time = seen.times[place]
    return Finding(
        f"{names} is a kernel of its own between {writers} and {readers}: {priced(time, seen.total_ms)}",
        layers=(layer.index,),
        at_stake=seen.stake([place]),
        formula="the layer's time",
        evidence=(
            Evidence("type of layer", layer.type),
            Evidence("reads", ", ".join(type_and_layout(each) for each in layer.inputs)),
            Evidence("writes", ", ".join(type_and_layout(each) for each in layer.outputs)),
            Evidence("time", time, "ms"),
        ),
        advice=advice,
        documentation=(
            "TensorRT Developer Guide: Working with Quantized Types, Q/DQ Limitations",
            "NVIDIA/TensorRT issue 2592",
        ),
        proof="after the change no layer has only QuantizeLinear or DequantizeLinear among its origins",
        confidence=0.8,
        severity=Severity.NOTE if is_first else None,
    )


RULE = Rule("QDQ004", "quantization as a kernel of its own", Severity.WARNING, check)
