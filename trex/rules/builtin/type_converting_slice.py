"""Slices that convert the type on the way.

What it finds: Slice layers (paddings among them) whose output is of another type than their input.
Why it matters: a slice only moves data; that it converts shows that its neighbors disagree about the type, and it
moves the wider one.
What to try: let slice, neighbors and what pads run in the narrower type: Q/DQ or the Cast before the slice.
Does not apply: slices of one type, and of shapes or indices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Rule
from trex.rules.wording import listed, main_operation, priced, type_and_layout

_TYPES = ("Slice", "Padding", "StridedSlice")


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    silent = []
    for place in seen.of_type(*_TYPES):
        layer = seen.layers[place]
        if not layer.inputs or not layer.outputs:
            continue
        source, output = layer.inputs[0], layer.outputs[0]
        if not source.data_type.is_known or not output.data_type.is_known:
            silent.append(layer.index)
        elif source.data_type is not output.data_type:
            yield _finding(seen, place)
    if silent:
        yield CannotTell("the types that these slices read or write are unknown", "", tuple(silent))


def _finding(seen: Inspected, place: int) -> Finding:
    layer = seen.layers[place]
    source, output = layer.inputs[0], layer.outputs[0]
    time = seen.times[place]
    read, written = source.size_bytes, output.size_bytes
    ins, outs = source.data_type.bits or 8, output.data_type.bits or 8
    saved = 0.0
    if read is not None and written is not None and read + written:
        wide = read * (1 - min(ins, outs) / ins) + written * (1 - min(ins, outs) / outs)
        saved = wide / (read + written)
    narrower = (source if ins < outs else output).precision
    before = listed(main_operation(seen.layers[each]) for each in seen.before(place)) or "the engine's input"
    after = listed(main_operation(seen.layers[each]) for each in seen.after(place)) or "the engine's output"
    return Finding(
        f"{main_operation(layer)} converts {source.precision} to {output.precision} while it slices, between {before} "
        f"and {after}: {priced(time, seen.total_ms)}",
        layers=(layer.index,),
        at_stake=seen.stake([place], saved) if saved else {},
        formula="layer time × bytes that the narrower type would save on both sides / bytes read and written",
        evidence=(
            Evidence("from", type_and_layout(source)),
            Evidence("to", type_and_layout(output)),
            Evidence("layout changes", source.format.label != output.format.label),
            Evidence("time", time, "ms"),
        ),
        advice=(
            f"put the QuantizeLinear or Cast before the slice, so that {before} writes {narrower}",
            "or slice the stored data, where what is sliced is constant",
        ),
        documentation=("TensorRT Developer Guide: Working with Quantized Types, Q/DQ Placement Recommendations",),
        proof="after the change the slice reads and writes one type",
        confidence=0.6,
        tensors=(source.name, output.name),
    )


RULE = Rule("MOVE002", "slices that convert the type", Severity.WARNING, check)
