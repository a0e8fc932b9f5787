"""Many kernels that are hardly longer than their launch.

What it finds: engines in which many kernels take only a few microseconds each and together a large part of the time.
Why it matters: a kernel takes 2 to 5 µs with its launch, however little it does. Neither INT8 nor another kernel helps:
only fewer kernels, or cheaper launches, do.
What to try: a CUDA graph (``trtexec --useCudaGraph``, the default since TensorRT 11), which moves the launches off the
CPU and shortens the gaps; a larger batch; operations that TensorRT fuses (LayerNormalization, attention, GELU as one
ONNX operator), folded constants (``polygraphy surgeon sanitize --fold-constants``), no shape arithmetic.
Does not apply: launches hidden behind other streams. Layer times contain a little profiling overhead, so very short
ones appear longer than they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from trex.core.layer import Role
from trex.perf.run_flags import run_flags
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import CAPTURE_FIX, PROFILE_HINT, cost, listed

_GRAPH = "run as a CUDA graph: cudaStreamBeginCapture around enqueueV3, or trtexec --useCudaGraph"


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    if not engine.layers:
        return
    if not engine.is_timed:
        yield Unchecked("there are no layer times", PROFILE_HINT)
        return
    times = engine.times_ms
    is_kernel = np.array([layer.role is Role.KERNEL for layer in engine.layers], dtype=bool)
    with np.errstate(invalid="ignore"):
        is_tiny = is_kernel & (times > 0) & (times < limits["longest"])
    positions: list[int] = np.flatnonzero(is_tiny).tolist()
    sum_ms = float(times[positions].sum())
    if not positions or len(positions) < limits["kernels"] or 100 * sum_ms < limits["share"] * engine.total_ms:
        return
    flags = run_flags(engine.plan.metadata.inference_options)
    is_graph = flags.cuda_graph is True
    types = Counter(engine.layers[position].type for position in positions)
    kinds = listed(f"{count:,} {kind}" for kind, count in types.most_common())
    yield Finding(
        f"{len(positions):,} of {int(is_kernel.sum()):,} kernels take less than {limits['longest'] * 1000:g} µs each, "
        f"together {cost(sum_ms, engine)}: {kinds}",
        layers=engine.indexes(positions),
        evidence=(
            Evidence("tiny kernels", len(positions)),
            Evidence("kernels", int(is_kernel.sum())),
            Evidence("their time", sum_ms, "ms"),
            Evidence("median", float(np.median(times[positions])) * 1000, "µs"),
        ),
        fix=(
            *(() if is_graph else (CAPTURE_FIX if flags.capture_failed else _GRAPH,)),
            "a larger batch, if the application has one: the same launches for more work",
            "fewer kernels: polygraphy surgeon sanitize MODEL.onnx --fold-constants, and fused operators in the model",
        ),
        documentation=(
            "TensorRT Developer Guide: CUDA Graphs",
            "TensorRT Developer Guide: Layer Fusion",
            "NVIDIA/TensorRT issues 2112, 4177",
        ),
        how_to_check="the time per inference of a batch falls",
        confidence=0.5,
        severity=Severity.NOTE if is_graph else None,
    )


RULE = Rule(
    "LAUN004",
    "many tiny kernels",
    Severity.WARNING,
    check,
    {
        "longest": RuleLimit(0.005, "ms", "time below which a kernel is tiny"),
        "kernels": RuleLimit(10.0, "", "least number of tiny kernels"),
        "share": RuleLimit(20.0, "%", "least share of all tiny kernels in the engine's time"),
    },
)
