"""One layer that is far slower than its work.

What it finds: layers that take more than a few percent of the time and reach less than a fifth of what the GPU could
do (the roofline of their multiply-adds and bytes).
Why it matters: such a layer has a poor kernel for its shapes, and most such operations have a known rewrite. It is
often the cheapest millisecond to be had.
What to try: by operation: TopK, NonMaxSuppression and sorting: fewer candidates before it, an efficient plugin;
ConvTranspose with a following Add: bias within the convolution, or Resize and Conv; Slice with steps, Gather on the
innermost axis: reorder so that rows are contiguous; Resize and GridSample: channels last (NHWC8), FP16; CumSum:
a product with a triangular matrix; normalizations from plugins: TensorRT's own.
Does not apply: to regions and plugins, whose work nobody tells; to layers that a launch bounds; without a device.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from trex.perf.achievable import BOUNDS
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule
from trex.rules.wording import main_operation, priced

_SURE = 0.5
_FORMULA = "time − attainable time / share of it that good kernels reach (see the roofline)"
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
        "take fewer boxes into it (score threshold, top 1000 per level), or EfficientNMS_TRT",
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


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterable[Finding | CannotTell]:
    if not seen.layers:
        return
    roofline = seen.performance.roofline
    if not seen.is_timed:
        yield CannotTell("without layer times no layer can be called slow", "profile the engine")
        return
    if roofline.device is None:
        yield CannotTell("without the GPU's figures no layer can be called slow", "trex lint PATH --device NAME")
        return
    with np.errstate(invalid="ignore"):
        slow = (100 * roofline.achieved_share < limits["reached"]) & (
            100 * roofline.time_ms > limits["share"] * seen.total_ms
        )
    for place in np.flatnonzero(slow & (roofline.confidence >= _SURE)).tolist():
        headroom = float(roofline.headroom_ms[place])
        if headroom > 0:
            yield _finding(seen, place, headroom)


def _finding(seen: Inspected, place: int, headroom: float) -> Finding:
    layer, roofline = seen.layers[place], seen.performance.roofline
    time_ms, reached = float(roofline.time_ms[place]), 100 * float(roofline.achieved_share[place])
    advice, documentation = _known(seen, place)
    return Finding(
        f"{main_operation(layer)} ({layer.type}) takes {priced(time_ms, seen.total_ms)} and reaches {reached:.0f} % of "
        f"what the GPU could do",
        (layer.index,),
        {layer.index: min(headroom, time_ms)},
        _FORMULA,
        (
            Evidence("time", time_ms, "ms"),
            Evidence("attainable", float(roofline.attainable_ms[place]), "ms"),
            Evidence("reached", reached, "%"),
            Evidence("bound", BOUNDS[roofline.bound[place]].value),
            Evidence("multiply-adds", seen.performance.works[place].macs),
            Evidence("bytes", seen.performance.works[place].bytes_moved, "bytes"),
        ),
        advice,
        documentation,
        "the layer alone as a model of its own: built and timed with trtexec before and after the rewrite",
        0.6 * float(roofline.confidence[place]),
    )


def _known(seen: Inspected, place: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    layer = seen.layers[place]
    words = seen.operations.words[place] | {layer.type.lower(), layer.subtype.lower()}
    for names, advice, documentation in _KNOWN:
        if not names.isdisjoint(words):
            return (advice,), (documentation, *_DOCUMENTATION)
    return (
        "trtexec --builderOptimizationLevel=5; the same operation in FP16, with channels last, or at another batch",
        "cut it out as a model of its own and report it with its shapes if it stays slow",
    ), _DOCUMENTATION


RULE = Rule(
    "ROOF001",
    "layer far below what the GPU could do",
    Severity.WARNING,
    check,
    {
        "reached": Limit(20.0, "%", "of the roofline, below which a layer is slow"),
        "share": Limit(5.0, "%", "of the engine's time that the layer must take"),
    },
)
