"""Runs whose slowest inferences take much longer than the median.

What it finds: runs whose 99th percentile exceeds the median by the limit or more, by per-query times or by trtexec's
summary.
Why it matters: one request in a hundred waits that long, and an application with a deadline is judged by it. The median
may be certain at the same time: comparisons of medians, and the times of layers, hold.
What to try: let nothing else use the GPU and the host, lock the clocks, let the host spin (``--useSpinWait``), launch
with a CUDA graph; look for what recurs at the period of the spikes, if they have one.
Does not apply: runs of fewer than 100 inferences; predicted times; a slow start that ends with the warm-up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.significant import significant
from trex.perf.samples.steadiness import FEWEST_FOR_TAIL, LONG_TAIL
from trex.plan.query_contradictions import summarized_queries
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.rule import Rule, RuleLimit


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding]:
    samples = engine.performance.samples
    main = samples.main
    label, median, high = "GPU compute", None, None
    remarks: tuple[str, ...] = ()
    if main is None:
        summary = engine.plan.metadata.latency.get("GPU Compute Time")
        count = summarized_queries(engine.plan.metadata)
        if summary is not None and (count is None or count >= FEWEST_FOR_TAIL):
            median, high = summary.median_ms, summary.percentiles.get(99.0)
    elif main.count >= FEWEST_FOR_TAIL:
        label, median, high = main.label, main.median_ms, main.percentiles.get(99.0)
        remarks = samples.steadiness.remarks
    if not median or high is None or 100.0 * (high / median - 1.0) < limits["tail"]:
        return
    certain = "; the median itself is steady" if samples.steadiness.is_steady else ""
    yield Finding(
        f"1 % of the inferences take at least {significant(high, 4)} ms of {label}, {significant(high / median, 3)} "
        f"times the median{certain}",
        evidence=(
            Evidence("median", median, "ms"),
            Evidence("99th percentile", high, "ms"),
            *((Evidence("maximum", main.spread.maximum_ms, "ms"), Evidence("samples", main.count)) if main else ()),
            *(Evidence("also", remark) for remark in remarks),
        ),
        fix=(
            "let nothing else use the GPU and the host while it runs, and lock the clocks: nvidia-smi "
            "--lock-gpu-clocks=MHZ",
            "launch with a CUDA graph and let the host spin: --useCudaGraph --useSpinWait",
            "a slow start only: warm up for longer, --warmUp=1000 (milliseconds)",
        ),
        documentation=("TensorRT Developer Guide: Performance Benchmarking, latency percentiles",),
        how_to_check=f"the 99th percentile stays within {limits['tail']:g} % of the median",
        confidence=0.9,
    )


RULE = Rule(
    "MEAS003",
    "long tail of the inference times",
    Severity.WARNING,
    check,
    {"tail": RuleLimit(100.0 * (LONG_TAIL - 1.0), "%", "least excess of the 99th percentile over the median")},
    needs_measurement=True,
)
