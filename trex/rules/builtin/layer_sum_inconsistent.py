"""Layers whose times do not add up to what the GPU took.

What it finds: a layers' sum above GPU compute by more than timing layers costs (8 µs each), and one below it by more
than the limit.
Why it matters: every share and every millisecond of a layer is wrong by as much, and no one can say whose.
What to try: profile in a run of its own (``--separateProfileRun``) at locked clocks, at the same shapes; for engines on
several streams build with ``--maxAuxStreams=0`` to get times that add up.
Does not apply: layers on several streams, which overlap; sums above GPU compute by the usual cost of timing them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.perf.reconciliation import USUAL_OVERHEAD_MS
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    told = seen.performance.reconciliation
    measures = told.measures
    found = next((each for each in told.differences if each.first == "sum of the layers"), None)
    if found is None or found.ratio is None:
        if seen.is_timed:
            yield CannotTell(
                f"whether the layers add up to an inference: {measures.compute.reason or 'its time is not known'}",
                "keep trtexec's log or --exportTimes=FILE beside the profile",
            )
        return
    streams = measures.stream_count or 1
    overhead = told.overhead_per_layer_ms
    too_little = found.ratio < 1.0 - limits["missing"] / 100.0
    too_much = streams < 2 and overhead is not None and overhead > USUAL_OVERHEAD_MS
    too_much = too_much and found.ratio > 1.0 + limits["missing"] / 100.0
    if not (too_little or too_much):
        return
    yield Finding(
        found.sentence[:1].lower() + found.sentence[1:].rstrip("."),
        evidence=(
            Evidence("layers / GPU compute", round(found.ratio, 3)),
            Evidence("sum of the layers", measures.layers.ms, "ms"),
            Evidence("GPU compute", measures.compute.ms, "ms"),
            Evidence("above it for each timed layer", overhead, "ms"),
        ),
        advice=(
            *(f"possible cause: {cause}" for cause in found.causes),
            "measure again with --separateProfileRun and locked clocks, layers and inferences at the same shapes",
        ),
        documentation=("TensorRT Developer Guide: Performance Benchmarking, per-layer runtime and GPU utilization",),
        proof="the sum of a new profile is GPU compute and 1 to 8 µs for each layer",
        confidence=0.9,
    )


RULE = Rule(
    "MEAS004",
    "layers that do not add up",
    Severity.WARNING,
    check,
    {"missing": Limit(10.0, "%", "by how much the sum of the layers may differ from GPU compute")},
    is_first=True,
)
