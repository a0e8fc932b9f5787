"""What quantization costs in conversions, compared to what it can save.

What it finds: engines in which kernels that only quantize, dequantize or change the float type take more than a few
percent of the time. The evidence lists the most expensive conversions and what the quantized layers save at most.
Why it matters: conversions make an INT8 or FP8 engine slower than expected, or slower than FP16.
What to try: remove the most expensive conversions first: quantize residual branches, poolings and layers between two
quantized layers; leave layers unquantized that save less than their conversions cost; build the same model in FP16 to
compare.
Does not apply: engines without quantized convolutions or GEMMs, or without times; conversions at the engine's inputs
and outputs, which do not count; engines whose conversions other findings report one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import PROFILE_HINT, QDQ_PLACEMENT, cost, main_operation, ms

_MAX_SHOWN = 10


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    flow = engine.flow
    quantized = flow.quantized_positions
    if not any(map(engine.operations.is_gemm, quantized)):
        return
    inside = [position for position in engine.precision_map.converting_copies if not flow.is_at_binding(position)]
    if not inside:
        return
    if not engine.is_timed:
        yield Unchecked(
            f"{len(inside)} kernels only convert types; without a profile their cost is unknown",
            PROFILE_HINT,
            engine.indexes(inside),
        )
        return
    cost_ms, saved_ms = engine.sum_ms(inside), engine.sum_ms(quantized)
    if not engine.takes_share(cost_ms, limits["share"]):
        return
    order = engine.slowest_first(inside)[:_MAX_SHOWN]
    conversions = tuple(
        Evidence(
            f"{flow.reads[position].label} → {flow.writes[position].label}, {main_operation(engine.layers[position])}",
            engine.times[position],
            "ms",
        )
        for position in order
    )
    does_not_pay = not saved_ms > cost_ms
    evidence = [
        Evidence("conversions", len(inside)),
        Evidence("time of the conversions", cost_ms, "ms"),
        Evidence("time of the quantized layers", saved_ms, "ms"),
        *conversions,
    ]
    yield Finding(
        f"{counted(len(inside), 'kernel only converts', 'kernels only convert')} types: {cost(cost_ms, engine)}; the "
        f"quantized layers save at most their own time, {ms(saved_ms)}, as FP16 takes at most twice as long"
        + (", so quantization does not pay" if does_not_pay else ""),
        layers=engine.indexes(inside),
        savings=engine.savings(inside),
        formula="time of the conversions that are not at the engine's inputs or outputs",
        evidence=tuple(evidence),
        fix=(
            f"remove the most expensive conversion first, {main_operation(engine.layers[order[0]])}: "
            f"{ms(engine.times[order[0]])}; the evidence lists the others by cost",
            "quantize the layers between two quantized ones (residual branches, poolings), or leave both sides "
            "unquantized",
            "build the model without Q/DQ in FP16 and compare: trtexec --fp16 (TensorRT 11: an FP16 ONNX model)",
        ),
        documentation=(QDQ_PLACEMENT, "NVIDIA/TensorRT issues 993, 1423, 3197, 4273, 4554"),
        how_to_check="profile an FP16 engine of the same model at the same clocks: it shows what quantization saves",
        confidence=0.5,
        severity=Severity.ERROR if does_not_pay else None,
    )


RULE = Rule(
    "QDQ009",
    "cost of conversions against quantization",
    Severity.WARNING,
    check,
    {"share": RuleLimit(5.0, "%", "least share of the conversions in the engine's time")},
    yields_to=("QDQ*", "REF001", "REF003", "PREC*"),
)
