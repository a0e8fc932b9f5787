"""Reformats at the engine's inputs and outputs.

What it finds: kernels that change type or layout of what the application hands in, or of what it gets back.
Why it matters: mostly it is expected, as applications hold FP32 in rows, and it is told so that nobody searches for it.
In a short engine with large inputs it is still a share of the time that the application can save.
What to try: hand the data over as the first layer wants them: ``--inputIOFormats``, ``--outputIOFormats`` (in Python
``tensor.allowed_formats`` and ``tensor.dtype``), and let the preprocessing write that layout; for a network that begins
with QuantizeLinear, quantize in the preprocessing and cut QuantizeLinear off the model.
Does not apply: where the application cannot write another layout: then leave it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.data_type import DataType
from trex.core.tensor import Tensor
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.precision_map import known_ms
from trex.rules.rule import Rule
from trex.rules.type_flow import FLOATS, QUANTIZED
from trex.rules.wording import listed, main_operation, priced, share, type_and_layout

_FORMAT_WORDS = {
    "NCHW": "chw",
    "NC/2HW2": "chw2",
    "NC/4HW4": "chw4",
    "NC/16HW16": "chw16",
    "NC/32HW32": "chw32",
    "NHWC": "hwc",
    "NHWC8": "hwc8",
    "NHWC16": "hwc16",
    "NDHWC": "dhwc",
    "NDHWC8": "dhwc8",
}
"""Names of layouts in trtexec; those that it has none for are left out."""


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding]:
    flow = seen.flow
    groups: dict[tuple[bool, str, str], list[int]] = {}
    for place in flow.copies:
        layer = seen.layers[place]
        if len(layer.inputs) != 1 or len(layer.outputs) != 1:
            continue
        is_input = flow.reads_binding(place)
        if is_input or flow.writes_binding(place):
            ways = type_and_layout(layer.inputs[0]), type_and_layout(layer.outputs[0])
            groups.setdefault((is_input, *ways), []).append(place)
    for (is_input, _, _), places in groups.items():
        yield _finding(seen, places, is_input, is_only=len(flow.copies) == 1)


def io_format(tensor: Tensor) -> str:
    """``fp16:hwc8`` as trtexec's flags write it; "" for a type or layout that it has no word for."""
    words = _FORMAT_WORDS.get(tensor.format.label, "")
    return f"{tensor.precision.lower()}:{words}" if words and tensor.data_type is not DataType.UNKNOWN else ""


def _finding(seen: Inspected, places: list[int], is_input: bool, is_only: bool) -> Finding:
    layers = [seen.layers[place] for place in places]
    source, output = layers[0].inputs[0], layers[0].outputs[0]
    wanted = output if is_input else source
    bindings = [(layer.inputs if is_input else layer.outputs)[0].name for layer in layers]
    time = known_ms(seen, places)
    does = "quantizes" if source.data_type in FLOATS and output.data_type in QUANTIZED else "turns"
    into = f"{does} {type_and_layout(source)} into {type_and_layout(output)}"
    side = "input" if is_input else "output"
    names = listed(map(main_operation, layers))
    only = "; it is the engine's only reformat" if is_only else ""
    return Finding(
        f"{names} at the {side} {listed(bindings)} {into}: expected, {priced(time, seen.total_ms)}{only}",
        layers=tuple(layer.index for layer in layers),
        at_stake=seen.stake(places),
        formula="the reformat's time, if the application handed over (or took) the other type and layout",
        evidence=(
            Evidence("side", side),
            Evidence("from", type_and_layout(source)),
            Evidence("to", type_and_layout(output)),
            Evidence("time", time, "ms"),
            Evidence("share of the time", share(time, seen.total_ms)),
        ),
        advice=_advice(is_input, source, output, wanted),
        documentation=("TensorRT Developer Guide: I/O Formats", "NVIDIA/TensorRT issues 2136, 3438"),
        proof=f"an engine built with other {side} formats has no reformat there",
        confidence=0.4,
        tensors=tuple(bindings),
    )


def _advice(is_input: bool, source: Tensor, output: Tensor, wanted: Tensor) -> tuple[str, ...]:
    side = "input" if is_input else "output"
    flag = f"--{side}IOFormats"
    leave = (
        f"expected: leave it, unless the application can {'write' if is_input else 'read'} {type_and_layout(wanted)}"
    )
    words = io_format(wanted)
    if is_input and source.data_type in FLOATS and output.data_type in QUANTIZED:
        cut = "cut the first QuantizeLinear off the ONNX model so that it begins with DequantizeLinear"
        if output.data_type is not DataType.INT8:  # such an engine is strongly typed, and the flag has no word for it
            return (leave, f"to save it: quantize in the preprocessing, and {cut}: the input's type is the model's")
        return (
            leave,
            f"to save it: quantize in the preprocessing (image bytes are 8 bits already), {cut}, and build with "
            f"{flag}={words or 'int8:chw'}",
        )
    if not words:
        return (leave, f"{flag} has no word for {wanted.format.label}: try the layouts it has, fp16:hwc8 or fp16:chw")
    return (
        leave,
        f"to save it: {flag}={words} (TensorRT 11: {flag}={words.partition(':')[2]}, the type is the model's), one "
        f"entry for each {side}",
    )


RULE = Rule("REF003", "reformats at inputs and outputs", Severity.NOTE, check)
