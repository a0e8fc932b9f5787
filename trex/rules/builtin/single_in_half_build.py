"""Layers that stay in FP32 although the build allows FP16 or BF16.

What it finds: builds for FP16 or BF16 in which layers that run in FP32 take more than a few percent of the time, with
the adjacent conversions; if the build options are unknown, engines in which other layers run in FP16 or BF16.
Why it matters: the expensive part did not move to FP16, so FP16 brings little: because of a precision constraint, a
Cast in the model, or an operator that the builder found faster in FP32, conversions included.
What to try: remove constraints (``--layerPrecisions``, ``--precisionConstraints``) and Casts to FP32 from the slowest
layers; export the model in FP16; keep FP32 only where accuracy needs it (softmax, normalization, large sums).
Does not apply: builds for FP32; layers that compute on integers; FP32 below the limit; layers that the builder timed in
both precisions, by its verbose log, and found no faster in FP16.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.half_precision import (
    HALF_FORMULA,
    half_confidence,
    half_savings,
    is_strongly_typed,
    precisions_of,
    precisions_text,
    single_layers,
    timed_share,
)
from trex.rules.rule import Rule, RuleLimit
from trex.rules.type_flow import HALVES
from trex.rules.wording import PROFILE_HINT, cost, listed, main_operation, ms

_MAX_NAMES = 5


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    flow = engine.flow
    built = precisions_of(engine)
    if not (built & {"FP16", "BF16"} or (not built and flow.has_halves)):
        return
    singles = single_layers(engine)
    if not singles:
        return
    if not engine.is_timed:
        yield Unchecked(
            f"{counted(len(singles), 'layer runs', 'layers run')} in FP32 {_where(built)}; their times are unknown",
            PROFILE_HINT,
            engine.indexes(singles),
        )
        return
    if engine.takes_share(engine.sum_ms(singles), limits["share"]):
        yield _finding(engine, singles, built)


def _where(built: frozenset[str]) -> str:
    return f"in a build for {precisions_text(built)}" if built else "although others run in FP16"


def _fix_of_types(engine: AnalyzedEngine, built: frozenset[str], has_casts: bool) -> tuple[str, ...]:
    if is_strongly_typed(engine):
        casts = ", removing Casts to FP32 next to the slowest layers" if has_casts else ""
        return (f"strongly typed: change the types in the ONNX model{casts}",)
    if not built:
        return ("if it was built without FP16: trtexec --fp16 (up to TensorRT 10)",)
    if has_casts:
        return ("remove Casts to FP32 and constraints from the slowest layers; compare the accuracy after each",)
    return ("remove precision constraints of the slowest layers; compare the accuracy after each",)


def _finding(engine: AnalyzedEngine, singles: list[int], built: frozenset[str]) -> Finding:
    flow, time_ms = engine.flow, engine.sum_ms(singles)
    single = set(singles)
    casts = [
        position
        for position in engine.precision_map.converting_copies
        if {flow.reads[position], flow.writes[position]} & HALVES
        and DataType.FP32 in (flow.reads[position], flow.writes[position])
        and single.intersection((*engine.before(position), *engine.after(position)))
    ]
    order = engine.slowest_first(singles)
    savings = half_savings(engine, singles)
    timed = sum(timed_share(engine, position) is not None for position in singles)
    slowest = listed(f"{main_operation(engine.layers[p])} ({ms(engine.times[p])})" for p in order[:_MAX_NAMES])
    option = engine.plan.builder_cfg.get("LayerPrecisions")
    constraints = option if isinstance(option, str) and option.strip() else ""
    return Finding(
        f"{counted(len(singles), 'layer stays', 'layers stay')} in FP32 {_where(built)}: {cost(time_ms, engine)}; the "
        f"slowest: {slowest}",
        layers=engine.indexes((*order, *casts)),
        main_layers=engine.indexes(order),
        savings=savings | engine.savings(casts),
        formula=f"{HALF_FORMULA}; + the time of adjacent conversions",
        evidence=(
            Evidence("precision of the build", precisions_text(built) or "unknown; the engine has FP16 tensors"),
            Evidence("layers in FP32", len(singles)),
            Evidence("their time", time_ms, "ms"),
            *((Evidence("faster in FP16 by the builder's own timings", timed),) if timed else ()),
            Evidence("adjacent conversions", len(casts)),
            Evidence("time of the conversions", engine.sum_ms(casts), "ms"),
            *((Evidence("constrained by --layerPrecisions", constraints),) if constraints else ()),
        ),
        fix=(
            *(
                (f"remove the constraints of the slowest first: --layerPrecisions was {constraints}",)
                if constraints
                else ()
            ),
            *_fix_of_types(engine, built, bool(casts)),
            "export the model in FP16, with softmax, normalization and large sums in FP32 if accuracy needs it",
            *(("quantize these layers (QDQ008)",) if flow.quantized_positions else ()),
        ),
        documentation=(
            "TensorRT Developer Guide: Reduced Precision, Layer-Level Control of Precision",
            "NVIDIA/TensorRT issues 572, 1250, 2087, 2445",
        ),
        how_to_check="the slowest of these layers run in FP16 in the new engine, and the sum of the times falls",
        confidence=half_confidence(engine, singles, savings, 0.7),
    )


RULE = Rule(
    "PREC002",
    "layers in FP32 in a build for FP16",
    Severity.WARNING,
    check,
    {"share": RuleLimit(5.0, "%", "least share of FP32 layers in the engine's time")},
    yields_to=("QDQ008",),
)
