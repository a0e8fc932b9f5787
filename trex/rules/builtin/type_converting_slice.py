"""Slices that convert the type.

What it finds: Slice layers (paddings included) whose output has another type than their input.
Why it matters: a slice only moves data; the conversion shows that its neighbors use different types, and it moves the
wider one.
What to try: run slice, neighbors and padding in the narrower type: Q/DQ or the Cast before the slice.
Does not apply: slices of one type, and of shapes or indices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule
from trex.rules.wording import QDQ_PLACEMENT, cost_of, main_operation, names_of, type_and_layout

_TYPES = ("Slice", "Padding", "StridedSlice")


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    unknown = []
    for position in engine.of_type(*_TYPES):
        layer = engine.layers[position]
        if not layer.inputs or not layer.outputs:
            continue
        source, output = layer.inputs[0], layer.outputs[0]
        if not source.data_type.is_known or not output.data_type.is_known:
            unknown.append(position)
        elif source.data_type is not output.data_type:
            yield _finding(engine, position)
    if unknown:
        yield Unchecked("the types that these slices read or write are unknown", layers=engine.indexes(unknown))


def _finding(engine: AnalyzedEngine, position: int) -> Finding:
    layer = engine.layers[position]
    source, output = layer.inputs[0], layer.outputs[0]
    read, written = source.size_bytes, output.size_bytes
    read_bits, written_bits = source.data_type.bits or 8, output.data_type.bits or 8
    bits = min(read_bits, written_bits)
    saved_share = 0.0
    if read is not None and written is not None and read + written:
        saved_share = (read * (1 - bits / read_bits) + written * (1 - bits / written_bits)) / (read + written)
    narrower = (source if read_bits < written_bits else output).precision
    before = names_of(engine.before(position), engine) or "the engine's input"
    after = names_of(engine.after(position), engine) or "the engine's output"
    return Finding(
        f"{main_operation(layer)} converts {source.precision} to {output.precision} while it slices, between {before} "
        f"and {after}: {cost_of([position], engine)}",
        layers=(layer.index,),
        savings=engine.savings([position], saved_share) if saved_share else {},
        formula="layer time × bytes that the narrower type saves on both sides / bytes read and written",
        evidence=(
            Evidence("from", type_and_layout(source)),
            Evidence("to", type_and_layout(output)),
            Evidence("layout changes", source.format.label != output.format.label),
            Evidence("time", engine.times[position], "ms"),
        ),
        fix=(
            f"put the QuantizeLinear or Cast before the slice, so that {before} writes {narrower}",
            "slice the stored data, if the slice reads a constant",
        ),
        documentation=(QDQ_PLACEMENT,),
        how_to_check="the slice reads and writes one type",
        confidence=0.6,
        tensors=(source.name, output.name),
    )


RULE = Rule("MOVE002", "slices that convert the type", Severity.WARNING, check)
