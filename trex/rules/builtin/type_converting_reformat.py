"""Reformats inside the engine that convert the type.

What it finds: Reformat layers whose output has another type than their input, each with its origin: ``QDQ`` for a
QuantizeLinear or DequantizeLinear that became a copy, ``CAST``, or ``REFORMAT`` for one that the builder inserted.
Why it matters: the neighbors use different types, and a kernel has to convert.
What to try: for QDQ check why the operator before it does not write the quantized type (QDQ001, QDQ002); for a Cast
remove it from the model; for one of the builder's, run both neighbors in one precision.
Does not apply: inputs and outputs of the engine, where it is expected (REF003).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import is_quantization, operations_of
from trex.rules.rule import Rule
from trex.rules.wording import QDQ_PLACEMENT, cost_of, main_operation, names_of, type_and_layout

_FIXES = {
    "QDQ": "make the layer before it write the quantized type: Q/DQ at both inputs of a residual add, before a "
    "pooling, directly after the activation",
    "CAST": "remove the Cast from the ONNX model, or move it to where the type changes anyway",
    "": "run both neighbors in one precision: remove the constraint of one, or quantize both",
}


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    flow = engine.flow
    unknown = []
    for position in flow.copies:
        layer = engine.layers[position]
        if flow.is_conversion(position) and not flow.is_at_binding(position):
            yield _finding(engine, position)
        elif any(not tensor.data_type.is_known for tensor in (*layer.inputs[:1], *layer.outputs[:1])):
            unknown.append(position)
    if unknown:
        yield Unchecked("the types that these reformats read or write are unknown", layers=engine.indexes(unknown))


def origin_of(engine: AnalyzedEngine, position: int) -> str:
    """``QDQ``, ``CAST``, ``REFORMAT`` … from the file, else by the layer's name."""
    layer = engine.layers[position]
    origin = layer.raw.get("Origin")
    if isinstance(origin, str) and origin:
        return origin
    return "QDQ" if any(map(is_quantization, operations_of(layer))) else "REFORMAT"


def _finding(engine: AnalyzedEngine, position: int) -> Finding:
    layer, flow = engine.layers[position], engine.flow
    source, output = layer.inputs[0], layer.outputs[0]
    origin = origin_of(engine, position)
    before = names_of(engine.before(position), engine) or "a stored tensor"
    after = names_of(engine.after(position), engine) or "an unknown reader"
    return Finding(
        f"{main_operation(layer)} converts {flow.reads[position].label} to {flow.writes[position].label} between "
        f"{before} and {after}: {cost_of([position], engine)}",
        layers=(layer.index,),
        savings=engine.savings([position]),
        formula="the reformat's time",
        evidence=(
            Evidence("origin", origin),
            Evidence("from", type_and_layout(source)),
            Evidence("to", type_and_layout(output)),
            Evidence("layout changes", source.format.label != output.format.label),
            Evidence("shape changes", source.shape != output.shape),
            Evidence("time", engine.times[position], "ms"),
        ),
        fix=(_FIXES.get(origin, _FIXES[""]),),
        documentation=(QDQ_PLACEMENT,),
        how_to_check="one tensor of one type connects its neighbors",
        confidence=0.6,
        tensors=(source.name, output.name),
    )


RULE = Rule("REF004", "reformats that convert the type", Severity.WARNING, check)
