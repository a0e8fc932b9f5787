"""Convolutions whose inputs and outputs differ in type.

What it finds: each convolution that reads one type and writes another, or adds a residual of another type.
Why it matters: kernels of mixed types are fewer and slower than those of one type, and wider tensors cost bytes. QDQ001
and QDQ002 name the cause for quantized convolutions; this rule lists every convolution.
What to try: give output and residual the type of the input: Q/DQ on the residual branch and after the activation, or
FP16 on both sides.
Does not apply: outputs of the engine, where floats are expected; unknown types.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import CONVOLUTIONS
from trex.rules.rule import Rule
from trex.rules.type_flow import QUANTIZED
from trex.rules.wording import QDQ_PLACEMENT, cost_of, main_operation, shortened, types_and_layouts


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    flow = engine.flow
    unknown = []
    for position in engine.of_type(*CONVOLUTIONS):
        layer = engine.layers[position]
        reads, writes = flow.reads[position], flow.writes[position]
        if not reads.is_known or not writes.is_known:
            if layer.inputs or layer.outputs:
                unknown.append(position)
            continue
        residual = flow.residual(position)
        is_output = reads is not writes and not flow.writes_binding(position)
        is_residual = residual is not None and residual.data_type is not reads
        if is_output or is_residual:
            yield _finding(engine, position, is_output, is_residual)
    if unknown:
        reason = "the types that these convolutions read or write are unknown"
        yield Unchecked(reason, layers=engine.indexes(unknown))


def _finding(engine: AnalyzedEngine, position: int, is_output: bool, is_residual: bool) -> Finding:
    layer, flow = engine.layers[position], engine.flow
    residual = flow.residual(position) if is_residual else None
    reads = flow.reads[position]
    wider = [*(layer.outputs if is_output else ()), *((residual,) if residual is not None else ())]
    parts = [f"writes {flow.writes[position].label}"] if is_output else []
    if residual is not None:
        parts.append(f"adds a residual in {residual.precision} ({shortened(residual.name)!r})")
    saved_share = flow.saved_share(position, wider, reads.bits) if reads.bits else 0.0
    return Finding(
        f"{main_operation(layer)} reads {reads.label} and {' and '.join(parts)}: {cost_of([position], engine)}",
        layers=(layer.index,),
        savings=engine.savings([position], saved_share) if saved_share else {},
        formula="layer time × bytes of the wider tensors · (1 − bits of the input / their bits) / bytes moved",
        evidence=(
            Evidence("reads", types_and_layouts(layer.inputs)),
            Evidence("writes", types_and_layouts(layer.outputs)),
            Evidence("kernel", layer.tactic),
            Evidence("time", engine.times[position], "ms"),
        ),
        fix=(
            "put QuantizeLinear/DequantizeLinear on the residual branch and after the activation (QDQ001, QDQ002)"
            if reads in QUANTIZED
            else f"run the layers that read and write its tensors in {reads.label} too: remove the Cast or precision "
            "constraint between",
        ),
        documentation=(QDQ_PLACEMENT,),
        how_to_check="all tensors of the layer have one type",
        confidence=0.6,
    )


RULE = Rule("PREC003", "convolutions of mixed precision", Severity.WARNING, check)
