"""A swarm of kernels that are hardly longer than their launch.

What it finds: engines in which many kernels take a few microseconds only and together a good part of the time.
Why it matters: a kernel takes 2 to 5 µs with its launch, however little it does. What is lost there is no arithmetic,
so that neither INT8 nor another kernel helps: only fewer kernels, or cheaper launches, do.
What to try: a CUDA graph (``trtexec --useCudaGraph``, the default since TensorRT 11), which takes the launches from the
CPU and shortens the gaps; a larger batch; operations that TensorRT fuses (LayerNormalization, attention, GELU as one
ONNX operator), constants folded (``polygraphy surgeon sanitize --fold-constants``), shape arithmetic taken out.
Does not apply: where launches are hidden behind other streams; layer times of a profiled run contain a little of the
profiler itself, so very short ones are told longer than they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from trex.core.layer import Role
from trex.perf.roofline import LAUNCH_MS
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule
from trex.rules.wording import listed, priced

_FORMULA = "of each kernel min(time, 2 µs): the launch that one kernel in place of several would save"
_DOCUMENTATION = (
    "TensorRT Developer Guide: CUDA Graphs",
    "TensorRT Developer Guide: Layer Fusion",
    "NVIDIA/TensorRT issues 2112 and 4177",
)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterable[Finding | CannotTell]:
    if not seen.layers:
        return
    if not seen.is_timed:
        yield CannotTell("without layer times nobody knows which kernels are tiny", "profile the engine")
        return
    times = seen.times_ms
    is_kernel = np.array([layer.role is Role.KERNEL for layer in seen.layers], dtype=bool)
    with np.errstate(invalid="ignore"):
        tiny = is_kernel & (times > 0) & (times < limits["longest"])
    places = np.flatnonzero(tiny)
    sum_ms = float(times[places].sum())
    if not len(places) or len(places) < limits["kernels"] or 100 * sum_ms < limits["share"] * seen.total_ms:
        return
    start, length = _longest_run(tiny, is_kernel)
    types: dict[str, int] = {}
    for place in places.tolist():
        types[seen.layers[place].type] = types.get(seen.layers[place].type, 0) + 1
    ordered = places[np.argsort(times[places], kind="stable")].tolist()
    at_stake = {seen.layers[place].index: min(float(times[place]), LAUNCH_MS) for place in ordered}
    kinds = listed(f"{count:,} {kind}" for kind, count in sorted(types.items(), key=lambda each: -each[1]))
    yield Finding(
        f"{len(places):,} of {int(is_kernel.sum()):,} kernels take less than {limits['longest'] * 1000:g} µs each, "
        f"together {priced(sum_ms, seen.total_ms)}: {kinds}",
        tuple(seen.layers[place].index for place in places.tolist()),
        at_stake,
        _FORMULA,
        (
            Evidence("tiny kernels", len(places)),
            Evidence("kernels", int(is_kernel.sum())),
            Evidence("their time", sum_ms, "ms"),
            Evidence("median", float(np.median(times[places])) * 1000, "µs"),
            Evidence("longest row of them", length),
            Evidence("which begins with", seen.layers[start].name),
        ),
        (
            "run as a CUDA graph: trtexec --useCudaGraph, or cudaStreamBeginCapture around enqueueV3",
            "a larger batch, if the application has one: the same launches for more work",
            "polygraphy surgeon sanitize MODEL.onnx --fold-constants -o FOLDED.onnx",
            "fused operators in the model (LayerNormalization of opset 17 in place of its parts)",
        ),
        _DOCUMENTATION,
        "the engine with and without --useCudaGraph: the difference of the medians is what the launches cost",
        0.5,
    )


def _longest_run(tiny: np.ndarray, is_kernel: np.ndarray) -> tuple[int, int]:
    """(place of the first, number) of the longest row of tiny kernels; what is no kernel does not break it."""
    kernels = np.flatnonzero(is_kernel)
    flags = np.concatenate(([False], tiny[kernels], [False])).astype(np.int8)
    edges = np.diff(flags)
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    longest = int(np.argmax(ends - starts))
    return int(kernels[starts[longest]]), int(ends[longest] - starts[longest])


RULE = Rule(
    "LAUN004",
    "swarm of tiny kernels",
    Severity.WARNING,
    check,
    {
        "longest": Limit(0.005, "ms", "time below which a kernel is tiny"),
        "kernels": Limit(10.0, "", "least number of them"),
        "share": Limit(20.0, "%", "least share of the engine's time that they take together"),
    },
)
