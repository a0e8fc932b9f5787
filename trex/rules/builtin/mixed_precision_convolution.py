"""Convolutions whose inputs and outputs differ in type.

What it finds: each convolution that reads one type and writes another, or adds a residual of another type.
Why it matters: kernels of mixed types are fewer and slower than those of one type, and wider tensors cost their bytes.
QDQ001 and QDQ002 say for quantized convolutions what the cause is; this rule lists every convolution by itself.
What to try: give output and residual the type of the input: Q/DQ on the residual branch and behind the activation, or
FP16 on both sides.
Does not apply: outputs of the engine, where floats are expected; types that are unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Rule
from trex.rules.type_flow import CONVOLUTIONS, QUANTIZED
from trex.rules.wording import main_operation, priced, shortened, type_and_layout


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    flow = seen.flow
    silent = []
    for place in seen.of_type(*CONVOLUTIONS):
        reads, writes = flow.reads[place], flow.writes[place]
        if not reads.is_known or not writes.is_known:
            if seen.layers[place].inputs or seen.layers[place].outputs:
                silent.append(seen.layers[place].index)
            continue
        residual = flow.residual(place)
        is_output = reads is not writes and not flow.writes_binding(place)
        is_residual = residual is not None and residual.data_type is not reads
        if is_output or is_residual:
            yield _finding(seen, place, is_output, is_residual)
    if silent:
        yield CannotTell("the types that these convolutions read or write are unknown", "", tuple(silent))


def _finding(seen: Inspected, place: int, is_output: bool, is_residual: bool) -> Finding:
    layer, flow = seen.layers[place], seen.flow
    residual = flow.residual(place)
    reads = flow.reads[place]
    wider = [*(layer.outputs if is_output else ()), *((residual,) if is_residual and residual is not None else ())]
    parts = [f"writes {flow.writes[place].label}"] if is_output else []
    if is_residual and residual is not None:
        parts.append(f"adds a residual in {residual.precision} ({shortened(residual.name)!r})")
    saved = 0.0
    moved = layer.total_footprint_bytes
    for tensor in wider:
        bits, own = tensor.data_type.bits, reads.bits
        if tensor.size_bytes is not None and bits and own and bits > own:
            saved += tensor.size_bytes * (1 - own / bits)
    return Finding(
        f"{main_operation(layer)} reads {reads.label} and {' and '.join(parts)}: "
        f"{priced(seen.times[place], seen.total_ms)}",
        layers=(layer.index,),
        at_stake=seen.stake([place], saved / moved if moved else 0.0) if saved else {},
        formula="layer time × bytes of the wider tensors · (1 − bits of the input / their bits) / bytes moved",
        evidence=(
            Evidence("reads", ", ".join(map(type_and_layout, layer.inputs))),
            Evidence("writes", ", ".join(map(type_and_layout, layer.outputs))),
            Evidence("kernel", layer.tactic),
            Evidence("time", seen.times[place], "ms"),
        ),
        advice=(
            "put QuantizeLinear/DequantizeLinear on the residual branch and behind the activation (QDQ001, QDQ002)"
            if reads in QUANTIZED
            else f"let what reads it, and what it adds, run in {reads.label} too: remove the Cast or pin between",
        ),
        documentation=("TensorRT Developer Guide: Working with Quantized Types, Q/DQ Placement Recommendations",),
        proof="after the change all tensors of the layer are of one type",
        confidence=0.6,
    )


RULE = Rule("PREC003", "convolutions of mixed precision", Severity.WARNING, check)
