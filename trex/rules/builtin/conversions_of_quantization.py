"""What quantization costs in conversions, against what it can save.

What it finds: engines in which kernels that only quantize, dequantize or change the float type take more than a few
percent of the time, with the borders by cost, beside what the quantized layers can have saved at most.
Why it matters: this is why an INT8 or FP8 engine is slower than expected, or slower than FP16.
What to try: remove the dearest borders first: quantize residual branches, poolings and what lies between two quantized
layers; un-quantize layers whose saving is smaller than their borders' cost; build the same model in FP16 to compare.
Does not apply: engines without quantized layers or without times; conversions at the engine's own inputs and outputs,
which are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.precision_map import known_ms
from trex.rules.rule import Limit, Rule
from trex.rules.wording import main_operation, ms, priced

_MOST_BORDERS = 10


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    flow = seen.flow
    quantized = flow.quantized_places
    if not quantized:
        return
    inside = [p for p in seen.precision_map.conversions if not flow.reads_binding(p) and not flow.writes_binding(p)]
    if not inside:
        return
    if not seen.is_timed:
        yield CannotTell(
            f"{len(inside)} kernels only convert types, but without a profile nobody knows what they cost",
            "profile the engine: trtexec --loadEngine=… --dumpProfile --separateProfileRun --exportProfile=…",
            tuple(seen.layers[place].index for place in inside),
        )
        return
    cost = known_ms(seen, inside)
    saved = known_ms(seen, quantized)
    if not cost * 100 >= limits["share"] * seen.total_ms:
        return
    dearest = sorted(inside, key=lambda place: -seen.times[place])[:_MOST_BORDERS]
    borders = tuple(
        Evidence(
            f"{flow.reads[p].label} → {flow.writes[p].label}, {main_operation(seen.layers[p])}", _time(seen, p), "ms"
        )
        for p in dearest
    )
    kernels = counted(len(inside), "kernel only converts", "kernels only convert")
    pays = "" if saved > cost else ", so quantization cannot have paid"
    evidence = [
        Evidence("conversions", len(inside)),
        Evidence("time of the conversions", cost, "ms"),
        Evidence("time of the quantized layers", saved, "ms"),
        *borders,
    ]
    if seen.baseline is not None and seen.baseline.total_runtime > 0:
        evidence.append(Evidence("time of the baseline's layers", seen.baseline.total_runtime, "ms"))
    yield Finding(
        f"{kernels} between types: {priced(cost, seen.total_ms)}; the quantized layers, "
        f"{ms(saved)}, would take at most twice that in FP16, so at most {ms(saved)} are saved{pays}",
        layers=tuple(seen.layers[place].index for place in inside),
        at_stake=seen.stake(inside),
        formula="time of the conversions that are not at the engine's inputs or outputs",
        evidence=tuple(evidence),
        advice=(
            f"remove the dearest border first, {main_operation(seen.layers[dearest[0]])}: "
            f"{ms(_time(seen, dearest[0]))}; the others are in the evidence, by cost",
            "quantize what lies between two quantized layers (residual branches, poolings), or un-quantize both sides",
            "build the model without Q/DQ in FP16 and compare: trtexec --fp16 (TensorRT 11: an FP16 ONNX model)",
        ),
        documentation=(
            "TensorRT Developer Guide: Working with Quantized Types, Q/DQ Placement Recommendations",
            "NVIDIA/TensorRT issues 993, 1423, 3197, 4273, 4554",
        ),
        proof="an FP16 engine of the same model, profiled under the same clocks, says what quantization really saves",
        confidence=0.5,
        severity=Severity.ERROR if pays else None,
    )


def _time(seen: Inspected, place: int) -> float:
    return seen.times[place]


RULE = Rule(
    "QDQ009",
    "what quantization costs in conversions",
    Severity.WARNING,
    check,
    {"share": Limit(5.0, "%", "share of the engine's time from which the conversions are told")},
)
