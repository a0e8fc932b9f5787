"""Reformats inside the engine that convert the type.

What it finds: Reformat layers whose output is of another type than their input, each with its origin: ``QDQ`` for a
QuantizeLinear or DequantizeLinear that became a copy, ``CAST``, or ``REFORMAT`` for one that the builder put in.
Why it matters: the neighbors disagree about the type, and a kernel pays for it.
What to try: for QDQ see why the operator before it does not write the quantized type (QDQ001, QDQ002 say so); for Cast
remove it from the model; for one of the builder's, let both neighbors run in one precision.
Does not apply: at inputs and outputs of the engine, where it is expected (REF003).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Rule
from trex.rules.type_flow import is_quantization, operations_of
from trex.rules.wording import listed, main_operation, priced, type_and_layout

_ADVICE = {
    "QDQ": "make the layer before it write the quantized type: Q/DQ at both inputs of a residual add, before a "
    "pooling, directly behind the activation",
    "CAST": "remove the Cast from the ONNX model, or move it to where the type changes anyway",
    "": "let both neighbors run in one precision: unpin the one that is pinned, or quantize both",
}


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    flow = seen.flow
    silent = []
    for place in flow.copies:
        layer = seen.layers[place]
        if flow.is_conversion(place) and not flow.reads_binding(place) and not flow.writes_binding(place):
            yield _finding(seen, place)
        elif any(not each.data_type.is_known for each in (*layer.inputs[:1], *layer.outputs[:1])):
            silent.append(layer.index)
    if silent:
        yield CannotTell("the types that these reformats read or write are unknown", "", tuple(silent))


def origin_of(seen: Inspected, place: int) -> str:
    """``QDQ``, ``CAST``, ``REFORMAT`` … as the file says, else by its name."""
    layer = seen.layers[place]
    origin = layer.raw.get("Origin")
    if isinstance(origin, str) and origin:
        return origin
    return "QDQ" if any(map(is_quantization, operations_of(layer))) else "REFORMAT"


def _finding(seen: Inspected, place: int) -> Finding:
    layer, flow = seen.layers[place], seen.flow
    source, output = layer.inputs[0], layer.outputs[0]
    origin = origin_of(seen, place)
    before = listed(main_operation(seen.layers[each]) for each in seen.before(place)) or "what is stored"
    after = listed(main_operation(seen.layers[each]) for each in seen.after(place)) or "nothing that is told"
    time = seen.times[place]
    layouts = (source.format.label, output.format.label)
    return Finding(
        f"{main_operation(layer)} converts {flow.reads[place].label} to {flow.writes[place].label} between {before} "
        f"and {after}: {priced(time, seen.total_ms)}",
        layers=(layer.index,),
        at_stake=seen.stake([place]),
        formula="the reformat's time",
        evidence=(
            Evidence("origin", origin),
            Evidence("from", type_and_layout(source)),
            Evidence("to", type_and_layout(output)),
            Evidence("layout changes", layouts[0] != layouts[1]),
            Evidence("shape changes", source.shape != output.shape),
            Evidence("time", time, "ms"),
        ),
        advice=(_ADVICE.get(origin, _ADVICE[""]),),
        documentation=("TensorRT Developer Guide: Working with Quantized Types, Q/DQ Placement Recommendations",),
        proof="after the change its neighbors exchange one tensor of one type",
        confidence=0.6,
        tensors=(source.name, output.name),
    )


RULE = Rule("REF004", "reformats that convert the type", Severity.WARNING, check)
