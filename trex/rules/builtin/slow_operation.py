"""One layer that is far slower than its work requires.

What it finds: layers that take more than a few percent of the time and reach less than a fifth of what the GPU can do
(the roofline of their MACs and bytes), for a reason that no other rule reports.
Why it matters: such a layer has a poor kernel for its shapes, and most such operations have a known rewrite.
What to try: by operation: TopK, NonMaxSuppression and sorting: fewer candidates before it, an efficient plugin;
ConvTranspose with a following Add: bias within the convolution, or Resize and Conv; Slice with steps, Gather on the
innermost axis: reorder so that rows are contiguous; Resize and GridSample: channels last (NHWC8), FP16; CumSum: a
matrix product with a triangular matrix; normalizations from plugins: TensorRT's own.
Does not apply: regions and plugins, whose work is unknown; kernels of less than 20 µs, in which launch, first loads and
the timing itself outweigh the work; reformats (REF001, REF003, REF005); convolutions of the few channels of an image,
which fill no kernel; layers at which a specific rule finds something; engines without a known device; layers without
a known rewrite whose build log, of the run's GPU and shapes, has no faster tactic in any type or layout; layers whose
times contain the run time of a DLA part, or copying weights from the host.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from trex.core.counted import counted
from trex.core.layer import Layer
from trex.core.release import release_from_text
from trex.perf.achievable import BOUNDS
from trex.perf.roofline import has_times_of_passes
from trex.perf.weight_streaming import MORE_WEIGHTS
from trex.perf.weight_streaming import WORDS as STREAMED
from trex.plan.listed_operands import product_type, source_of
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import CONVOLUTIONS
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import PROFILE_HINT, cost, main_operation

_LEAST_CONFIDENCE = 0.5
_NOISE = 0.05
"""A tactic that is faster by less is as fast as timings repeat."""
_FEW, _SINGLE_BITS = 4, 32
_FIRST_WITH_LEVELS = (8, 6)
_DOCUMENTATION = (
    "Williams, Waterman and Patterson: Roofline (2009)",
    "TensorRT Developer Guide: Optimizing Layer Performance",
)
_KNOWN: tuple[tuple[frozenset[str], str, str], ...] = (
    (
        frozenset({"topk", "sort", "argsort"}),
        "filter before TopK (a threshold, fewer candidates); K at most 3840; sort along the last axis",
        "NVIDIA/TensorRT issue 2022",
    ),
    (
        frozenset({"nonmaxsuppression", "nms", "batchednms_trt", "efficientnms_trt"}),
        "pass fewer boxes to it (score threshold, top 1000 per level), or EfficientNMS_TRT",
        "NVIDIA/TensorRT: plugin/efficientNMSPlugin",
    ),
    (
        frozenset({"convtranspose", "deconvolution", "caskdeconvolutionv2", "deconv"}),
        "fold the Add after it into its bias; or Resize (nearest) and a convolution; stride equal to the window",
        "NVIDIA/TensorRT issue 3098",
    ),
    (
        frozenset({"slice", "stridedslice", "split", "padding", "pad"}),
        "slice on an outer axis, without steps; do padding inside the convolution",
        "NVIDIA/TensorRT issue 1117",
    ),
    (
        frozenset({"resize", "upsample", "gridsample", "grid_sample", "gridsampler"}),
        "nearest or linear in FP16 with channels last; GridSample as a plugin for FP16",
        "NVIDIA/TensorRT: plugin samples",
    ),
    (
        frozenset({"gather", "gathernd", "gatherelements", "scatternd", "scatterelements", "scatter"}),
        "gather whole rows on the outermost axis; replace a constant index by Slice or Concat",
        "TensorRT Operator Reference: Gather, Scatter",
    ),
    (
        frozenset({"cumsum", "einsum"}),
        "CumSum as MatMul with a triangular matrix; Einsum as MatMul with Transpose and Reshape",
        "TensorRT Operator Reference",
    ),
    (
        frozenset({"instancenormalization", "groupnormalization", "reducemean", "layernormalization"}),
        "TensorRT's own normalization (opset 18 GroupNormalization, opset 17 LayerNormalization)",
        "TensorRT Operator Reference: Normalization",
    ),
)


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    if not engine.layers:
        return
    roofline = engine.performance.roofline
    if not engine.is_timed:
        yield Unchecked("there are no layer times", PROFILE_HINT)
        return
    if roofline.device is None:
        yield Unchecked("the GPU is unknown, so is what it can do", "trex lint PATH --device NAME")
        return
    if has_times_of_passes(engine.plan):
        yield Unchecked("conditions or loops decide how often each layer ran, so what it could reach is unknown")
        return
    yield from _of_other_work(engine)
    with np.errstate(invalid="ignore"):
        slow = (100 * roofline.achieved_share < limits["reached"]) & (
            100 * roofline.time_ms > limits["share"] * engine.total_ms
        )
        slow &= roofline.time_ms >= limits["shortest"]
    for position in np.flatnonzero(slow & (roofline.confidence >= _LEAST_CONFIDENCE)).tolist():
        headroom_ms = float(roofline.headroom_ms[position])
        if headroom_ms > 0 and not engine.flow.is_copy(position) and not _reads_an_image(engine.layers[position]):
            fix, documentation = _known_rewrite(engine, position)
            fastest_ms = engine.timings.fastest(engine.layers[position].name)
            if not fix and fastest_ms is not None:
                # Without a rewrite only another tactic helps, and the builder has timed them in all types and layouts.
                headroom_ms = min(headroom_ms, float(roofline.time_ms[position]) - fastest_ms)
                if headroom_ms < _NOISE * float(roofline.time_ms[position]):
                    continue
            yield _finding(
                engine, position, headroom_ms, fix or _general_fix(engine, position), documentation, fastest_ms
            )


def _of_other_work(engine: AnalyzedEngine) -> Iterator[Unchecked]:
    """Layers whose times contain other work than their own."""
    reasons = engine.performance.other_work
    for reason in dict.fromkeys(reasons.values()):
        positions = [position for position, own in reasons.items() if own == reason]
        layers = counted(len(positions), "layer")
        hint = MORE_WEIGHTS if reason == STREAMED else "trex explain dla"
        yield Unchecked(f"{layers} not compared with the roofline: {reason}", hint, engine.indexes(positions))


def _reads_an_image(layer: Layer) -> bool:
    source = source_of(layer) if product_type(layer) in CONVOLUTIONS else None
    shape = None if source is None else source.shape
    return shape is not None and len(shape) > 2 and shape[1] is not None and shape[1] <= _FEW


def _finding(
    engine: AnalyzedEngine,
    position: int,
    headroom_ms: float,
    fix: tuple[str, ...],
    documentation: tuple[str, ...],
    fastest_ms: float | None,
) -> Finding:
    layer, roofline, work = engine.layers[position], engine.performance.roofline, engine.performance.works[position]
    time_ms, reached = float(roofline.time_ms[position]), 100 * float(roofline.achieved_share[position])
    return Finding(
        f"{main_operation(layer)} ({layer.type}) takes {cost(time_ms, engine)} and reaches {reached:.0f} % of what the "
        "GPU can do",
        layers=(layer.index,),
        savings={layer.index: min(headroom_ms, time_ms)},
        formula="time − attainable time / share of it that good kernels reach (see the roofline)",
        evidence=(
            Evidence("time", time_ms, "ms"),
            Evidence("attainable", float(roofline.attainable_ms[position]), "ms"),
            Evidence("reached", reached, "%"),
            Evidence("bound", BOUNDS[roofline.bound[position]].value),
            *(() if fastest_ms is None else (Evidence("fastest tactic the builder timed", fastest_ms, "ms"),)),
            Evidence("MACs", work.macs),
            Evidence("bytes", work.bytes_moved, "bytes"),
        ),
        fix=fix,
        documentation=documentation,
        how_to_check="build and time the layer alone as a model, before and after the rewrite",
        confidence=0.6 * float(roofline.confidence[position]),
    )


def _known_rewrite(engine: AnalyzedEngine, position: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    layer = engine.layers[position]
    words = engine.operations.words[position] | {layer.type.lower(), layer.subtype.lower()}
    for names, fix, documentation in _KNOWN:
        if not names.isdisjoint(words):
            return (fix,), (documentation, *_DOCUMENTATION)
    return (), _DOCUMENTATION


def _general_fix(engine: AnalyzedEngine, position: int) -> tuple[str, ...]:
    release = release_from_text(engine.plan.tensorrt_version)
    has_levels = release is not None and release.pair >= _FIRST_WITH_LEVELS
    level = "trtexec --builderOptimizationLevel=5; " if has_levels and not engine.is_for_rtx else ""
    operation = "the same operation with channels last or at another batch"
    if (engine.operand_type(position).bits or _SINGLE_BITS) >= _SINGLE_BITS:
        operation = "the same operation in FP16, with channels last, or at another batch"
    return (
        f"{level}{operation}",
        "extract it as a model of its own and report it with its shapes if it stays slow",
    )


RULE = Rule(
    "ROOF001",
    "layer far below what the GPU can do",
    Severity.WARNING,
    check,
    {
        "reached": RuleLimit(20.0, "%", "share of the roofline below which a layer is slow"),
        "share": RuleLimit(5.0, "%", "least share of the layer in the engine's time"),
        "shortest": RuleLimit(0.02, "ms", "shortest time of a layer"),
    },
    needs_measurement=True,
    yields_to=("ATTN*", "CONV*", "FUSE*", "MOVE*", "NORM*", "PLUG*", "PREC*", "QDQ*", "REF*", "SHAPE*", "SPARSE*"),
)
