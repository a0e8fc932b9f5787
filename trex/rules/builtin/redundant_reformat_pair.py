"""Reformats right behind one another, and reformats made twice.

What it finds: a reformat that reads what another has just written and nobody else reads; one that restores what the
other has changed; and two reformats of one tensor to the same type and layout.
Why it matters: one kernel could do the work of both, or none need do it.
What to try: quantize or cast where the layout changes anyway; remove a Cast or a Q/DQ pair that only follows another;
let both readers of a tensor take the same Cast or QuantizeLinear in the ONNX model.
Does not apply: where the tensor between the two is read by another layer too; copies of slices (MOVE001).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.tensor import Tensor
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.precision_map import known_ms
from trex.rules.rule import Rule
from trex.rules.wording import main_operation, priced, shortened, type_and_layout

_PARTS = frozenset({"SLICE", "CONCAT", "SPLIT"})
"""Origins of copies of parts: two of them read one tensor without making the same."""
_ADVICE = {
    "restored": (
        "remove both: a Cast, transpose or Q/DQ pair whose effect the next one takes back (polygraphy surgeon or "
        "onnx-graphsurgeon)",
    ),
    "chained": (
        "let one step do it: move QuantizeLinear or the Cast to before the layer that writes the tensor, so that the "
        "type changes in that layer, or together with the layout",
    ),
    "repeated": (
        "let both readers share one Cast or QuantizeLinear in the ONNX model (the same scale), so that it is done once",
    ),
}


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    flow = seen.flow
    made: dict[tuple[object, ...], int] = {}
    silent = []
    for place in flow.copies:
        layer = seen.layers[place]
        if len(layer.inputs) != 1 or len(layer.outputs) != 1:
            continue
        source, output = layer.inputs[0], layer.outputs[0]
        before = seen.before(place)
        if len(before) == 1 and flow.is_copy(before[0]) and len(seen.layers[before[0]].inputs) == 1:
            finding = _pair(seen, before[0], place)
            if finding is not None:
                yield finding
        if not output.format.is_known or not output.data_type.is_known:
            silent.append(layer.index)
            continue
        if layer.raw.get("Origin") in _PARTS or "_copy_" in layer.name or layer.name.endswith(" copy"):
            continue
        key = (before, source.name, source.shape, output.data_type, output.format.label, output.shape)
        twin = made.setdefault(key, place)
        if twin != place and source.name:
            yield _finding(
                seen, "repeated", [twin, place], seen.stake([_cheaper(seen, twin, place)]), "the cheaper one"
            )
    if silent:
        yield CannotTell("whether these reformats repeat others: their types or layouts are unknown", "", tuple(silent))


def _pair(seen: Inspected, first: int, second: int) -> Finding | None:
    start, between = seen.layers[first].inputs[0], seen.layers[first].outputs[0]
    onward, end = seen.layers[second].inputs[0], seen.layers[second].outputs[0]
    is_shared = seen.after(first) != (second,) or seen.flow.writes_binding(first)
    if _is_same(start, end) and start.format.is_known:
        places = [second] if is_shared else [first, second]
        return _finding(seen, "restored", [first, second], seen.stake(places), "time of what is not needed", 0.9)
    if is_shared:
        return None
    stake: dict[int, float] = {}
    for place, kept, gone in ((first, start, between), (second, end, onward)):
        both = (kept.size_bytes or 0) + (gone.size_bytes or 0)
        known = bool(both) and kept.size_bytes is not None and gone.size_bytes is not None
        stake |= seen.stake([place], (gone.size_bytes or 0) / both if known else 0.5)
    return _finding(
        seen, "chained", [first, second], stake, "each one's time × bytes of the tensor between / its bytes"
    )


def _is_same(one: Tensor, other: Tensor) -> bool:
    return one.data_type is other.data_type and one.format.label == other.format.label and one.shape == other.shape


def _cheaper(seen: Inspected, one: int, other: int) -> int:
    return one if seen.times_ms[one] < seen.times_ms[other] else other


def _finding(
    seen: Inspected, kind: str, places: list[int], stake: dict[int, float], formula: str, confidence: float = 0.7
) -> Finding:
    first, second = (seen.layers[place] for place in places)
    cost = known_ms(seen, places)
    ways = " → ".join(map(type_and_layout, (first.inputs[0], first.outputs[0], second.outputs[0])))
    message = {
        "restored": f"{main_operation(second)} takes back what {main_operation(first)} did: {ways}",
        "chained": f"{main_operation(first)} and {main_operation(second)} could be one step: {ways}",
        "repeated": f"{main_operation(first)} and {main_operation(second)} make the same of one tensor, "
        f"{shortened(first.inputs[0].name)}: {type_and_layout(first.outputs[0])}",
    }[kind]
    return Finding(
        f"{message}; together {priced(cost, seen.total_ms)}",
        layers=(first.index, second.index),
        about=(first.index,),
        at_stake=stake,
        formula=formula,
        evidence=(Evidence("kind", kind), Evidence("types and layouts", ways), Evidence("time of both", cost, "ms")),
        advice=_ADVICE[kind],
        documentation=("TensorRT Developer Guide: I/O Formats", "NVIDIA/TensorRT issues 2921, 4039"),
        proof="after the change there is one reformat or none between the layers at both sides",
        confidence=confidence,
        tensors=(first.inputs[0].name, second.outputs[0].name),
    )


RULE = Rule("REF002", "reformats that repeat or cancel one another", Severity.WARNING, check)
