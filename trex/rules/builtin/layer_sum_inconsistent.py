"""Layer times that do not add up to GPU compute.

What it finds: a sum of layer times above GPU compute by more than timing layers costs (8 µs each), or below it by more
than the limit.
Why it matters: all layer times and shares are off by as much, and it is unknown which.
What to try: profile in a run of its own (``--separateProfileRun``) at locked clocks and the same shapes; for engines on
several streams build with ``--maxAuxStreams=0`` to get times that add up.
Does not apply: layers on several streams, which overlap; sums above GPU compute by the usual profiling overhead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.perf.reconciliation import LAYER_SUM, USUAL_OVERHEAD_MS
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import RUN_HINT


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    reconciliation = engine.performance.reconciliation
    measures = reconciliation.measures
    difference = next((item for item in reconciliation.differences if item.first == LAYER_SUM), None)
    if difference is None or difference.ratio is None:
        if engine.is_timed:
            reason = measures.compute.reason or "GPU compute is unknown"
            yield Unchecked(f"whether layer times add up to an inference: {reason}", RUN_HINT)
        return
    overhead = reconciliation.overhead_per_layer_ms
    too_little = difference.ratio < 1.0 - limits["missing"] / 100.0
    too_much = (
        (measures.stream_count or 1) < 2
        and overhead is not None
        and overhead > USUAL_OVERHEAD_MS
        and difference.ratio > 1.0 + limits["missing"] / 100.0
    )
    if not (too_little or too_much):
        return
    yield Finding(
        difference.sentence.rstrip("."),
        evidence=(
            Evidence("layers / GPU compute", round(difference.ratio, 3)),
            Evidence("sum of layer times", measures.layers.ms, "ms"),
            Evidence("GPU compute", measures.compute.ms, "ms"),
            Evidence("excess per timed layer", overhead, "ms"),
        ),
        fix=(
            *(f"possible cause: {cause}" for cause in difference.causes),
            "measure again with --separateProfileRun and locked clocks, layers and inferences at the same shapes",
        ),
        documentation=("TensorRT Developer Guide: Performance Benchmarking, per-layer runtime and GPU utilization",),
        how_to_check="the sum of a new profile is GPU compute plus 1 to 8 µs per layer",
        confidence=0.9,
    )


RULE = Rule(
    "MEAS004",
    "layer times do not add up",
    Severity.WARNING,
    check,
    {"missing": RuleLimit(10.0, "%", "largest difference between the sum of layer times and GPU compute")},
    is_first=True,
)
