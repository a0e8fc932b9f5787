"""Consecutive reformats, and reformats done twice.

What it finds: a reformat that is the only reader of another's output; one that undoes the other; and two reformats of
one tensor to the same type and layout.
Why it matters: one kernel could do the work of both, or none is needed.
What to try: quantize or cast where the layout changes anyway; remove a Cast or a Q/DQ pair that only follows another;
let both readers of a tensor share one Cast or QuantizeLinear in the ONNX model.
Does not apply: if another layer also reads the tensor between the two; copies of slices (MOVE001).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.tensor import Tensor
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule
from trex.rules.wording import cost_of, main_operation, shortened, type_and_layout

_PARTS = frozenset({"SLICE", "CONCAT", "SPLIT"})
"""Origins of copies of parts: two of them read one tensor without writing the same."""
_FIXES = {
    "undone": (
        "remove both: a Cast, transpose or Q/DQ pair whose effect the next one undoes (polygraphy surgeon or "
        "onnx-graphsurgeon)",
    ),
    "chained": (
        "let one step do it: move QuantizeLinear or the Cast to before the layer that writes the tensor, so that the "
        "type changes in that layer, or together with the layout",
    ),
    "repeated": (
        "let both readers share one Cast or QuantizeLinear in the ONNX model (the same scale), so that it runs once",
    ),
}


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    flow = engine.flow
    first_with: dict[tuple[object, ...], int] = {}
    unknown = []
    for position in flow.copies:
        layer = engine.layers[position]
        if len(layer.inputs) != 1 or len(layer.outputs) != 1:
            continue
        source, output = layer.inputs[0], layer.outputs[0]
        before = engine.before(position)
        if len(before) == 1 and flow.is_copy(before[0]) and len(engine.layers[before[0]].inputs) == 1:
            finding = _pair(engine, before[0], position)
            if finding is not None:
                yield finding
        if not output.format.is_known or not output.data_type.is_known:
            unknown.append(position)
            continue
        if layer.raw.get("Origin") in _PARTS or "_copy_" in layer.name or layer.name.endswith(" copy"):
            continue
        key = (before, source.name, source.shape, output.data_type, output.format.label, output.shape)
        twin = first_with.setdefault(key, position)
        if twin != position and source.name:
            faster = min(position, twin, key=lambda copy: engine.times[copy])
            yield _finding(engine, "repeated", [twin, position], engine.savings([faster]), "time of the faster one")
    if unknown:
        reason = "types or layouts of these reformats are unknown, so whether they repeat others is, too"
        yield Unchecked(reason, layers=engine.indexes(unknown))


def _pair(engine: AnalyzedEngine, first: int, second: int) -> Finding | None:
    start, between = engine.layers[first].inputs[0], engine.layers[first].outputs[0]
    read, end = engine.layers[second].inputs[0], engine.layers[second].outputs[0]
    is_shared = engine.after(first) != (second,) or engine.flow.writes_binding(first)
    if _is_same(start, end) and start.format.is_known:
        positions = [second] if is_shared else [first, second]
        formula = "time of the reformats that are not needed"
        return _finding(engine, "undone", [first, second], engine.savings(positions), formula, 0.9)
    if is_shared:
        return None
    savings: dict[int, float] = {}
    for position, kept, removed in ((first, start, between), (second, end, read)):
        sizes = (kept.size_bytes, removed.size_bytes)
        is_known = None not in sizes and any(sizes)
        share = (removed.size_bytes or 0) / ((kept.size_bytes or 0) + (removed.size_bytes or 0)) if is_known else 0.5
        savings |= engine.savings([position], share)
    formula = "time of each × bytes of the tensor between / its bytes"
    return _finding(engine, "chained", [first, second], savings, formula)


def _is_same(one: Tensor, other: Tensor) -> bool:
    return one.data_type is other.data_type and one.format.label == other.format.label and one.shape == other.shape


def _finding(
    engine: AnalyzedEngine,
    kind: str,
    positions: list[int],
    savings: dict[int, float],
    formula: str,
    confidence: float = 0.7,
) -> Finding:
    first, second = (engine.layers[position] for position in positions)
    tensors = (first.inputs[0], first.outputs[0], second.outputs[0])
    formats = " → ".join(map(type_and_layout, tensors))
    message = {
        "undone": f"{main_operation(second)} undoes {main_operation(first)}: {formats}",
        "chained": f"{main_operation(first)} and {main_operation(second)} could be one step: {formats}",
        "repeated": f"{main_operation(first)} and {main_operation(second)} both convert "
        f"{shortened(tensors[0].name)} to {type_and_layout(tensors[1])}",
    }[kind]
    return Finding(
        f"{message}; together {cost_of(positions, engine)}",
        layers=(first.index, second.index),
        main_layers=(first.index,),
        savings=savings,
        formula=formula,
        evidence=(
            Evidence("kind", kind),
            Evidence("types and layouts", formats),
            Evidence("time of both", engine.sum_ms(positions), "ms"),
        ),
        fix=_FIXES[kind],
        documentation=("TensorRT Developer Guide: I/O Formats", "NVIDIA/TensorRT issues 2921, 4039"),
        how_to_check="there is one reformat, or none, between the layers on both sides",
        confidence=confidence,
        tensors=(tensors[0].name, tensors[2].name),
    )


RULE = Rule("REF002", "reformats that repeat or undo each other", Severity.WARNING, check)
