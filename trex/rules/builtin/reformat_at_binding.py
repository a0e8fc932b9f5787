"""Reformats at the engine's inputs and outputs.

What it finds: kernels that change type or layout of the application's inputs or outputs.
Why it matters: this is mostly expected, as applications hold FP32 in row-major order. In a short engine with large
inputs the application can still save a share of the time.
What to try: pass the data as the first layer reads them: ``--inputIOFormats``, ``--outputIOFormats`` (in Python
``tensor.allowed_formats`` and ``tensor.dtype``), and let the preprocessing write that layout; for a network that starts
with QuantizeLinear, quantize in the preprocessing and cut QuantizeLinear off the model.
Does not apply: if the application cannot write another layout.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.data_type import DataType
from trex.core.tensor import Tensor
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.rule import Rule
from trex.rules.type_flow import FLOATS, QUANTIZED
from trex.rules.wording import cost_of, listed, names_of, percent, type_and_layout

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
"""Layouts by their names in trtexec; the others have none."""


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding]:
    flow = engine.flow
    groups: dict[tuple[bool, str, str], list[int]] = {}
    for position in flow.copies:
        layer = engine.layers[position]
        if len(layer.inputs) == 1 and len(layer.outputs) == 1 and flow.is_at_binding(position):
            formats = type_and_layout(layer.inputs[0]), type_and_layout(layer.outputs[0])
            groups.setdefault((flow.reads_binding(position), *formats), []).append(position)
    for (is_input, _, _), positions in groups.items():
        yield _finding(engine, positions, is_input)


def io_format(tensor: Tensor) -> str:
    """``fp16:hwc8`` as trtexec's flags spell it; "" for a type or layout without a name there."""
    word = _FORMAT_WORDS.get(tensor.format.label, "")
    return f"{tensor.precision.lower()}:{word}" if word and tensor.data_type is not DataType.UNKNOWN else ""


def _finding(engine: AnalyzedEngine, positions: list[int], is_input: bool) -> Finding:
    layers = [engine.layers[position] for position in positions]
    source, output = layers[0].inputs[0], layers[0].outputs[0]
    bindings = [(layer.inputs if is_input else layer.outputs)[0].name for layer in layers]
    verb = "quantizes" if source.data_type in FLOATS and output.data_type in QUANTIZED else "converts"
    side = "input" if is_input else "output"
    only = "; it is the engine's only reformat" if len(engine.flow.copies) == 1 else ""
    return Finding(
        f"{names_of(positions, engine)} at the {side} {listed(bindings)} {verb} {type_and_layout(source)} to "
        f"{type_and_layout(output)}, as expected: {cost_of(positions, engine)}{only}",
        layers=engine.indexes(positions),
        savings=engine.savings(positions),
        formula=f"time of the reformats, if the application {'writes' if is_input else 'reads'} the other format",
        evidence=(
            Evidence("side", side),
            Evidence("from", type_and_layout(source)),
            Evidence("to", type_and_layout(output)),
            Evidence("time", engine.sum_ms(positions), "ms"),
            Evidence("share of the time", percent(engine.sum_ms(positions), engine.total_ms)),
        ),
        fix=_fix(is_input, source, output),
        documentation=("TensorRT Developer Guide: I/O Formats", "NVIDIA/TensorRT issues 2136, 3438"),
        how_to_check=f"an engine built with other {side} formats has no reformat there",
        confidence=0.4,
        tensors=tuple(bindings),
    )


def _fix(is_input: bool, source: Tensor, output: Tensor) -> tuple[str, ...]:
    side, wanted = ("input", output) if is_input else ("output", source)
    flag = f"--{side}IOFormats"
    leave = f"leave it, unless the application can {'write' if is_input else 'read'} {type_and_layout(wanted)}"
    words = io_format(wanted)
    if is_input and source.data_type in FLOATS and output.data_type in QUANTIZED:
        cut = "cut the first QuantizeLinear off the ONNX model so that it starts with DequantizeLinear"
        if output.data_type is not DataType.INT8:  # such an engine is strongly typed, and the flag has no word for it
            return (leave, f"quantize in the preprocessing, and {cut}: the input has the model's type")
        return (
            leave,
            f"quantize in the preprocessing (image bytes are 8 bits already), {cut}, and build with "
            f"{flag}={words or 'int8:chw'}",
        )
    if not words:
        return (leave, f"{flag} has no word for {wanted.format.label}: try fp16:hwc8 or fp16:chw")
    typed = f"TensorRT 11: {flag}={words.partition(':')[2]}, with the model's type"
    return (leave, f"{flag}={words} ({typed}), one entry for each {side}")


RULE = Rule("REF003", "reformats at inputs and outputs", Severity.NOTE, check)
