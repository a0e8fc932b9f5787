"""Inferences that did not take the same time throughout the run.

What it finds: a trace whose times change level, drift, gather at two places or begin slower, by as much as the limit
or more; without a trace, trtexec's own warning that the GPU's time was unstable.
Why it matters: a difference between two engines that is smaller than what one run changes by shows nothing, and
shares of layers measured at different clocks are shares of different things.
What to try: lock the clocks (``nvidia-smi --lock-gpu-clocks``, or ``trex process``, which does and undoes it), warm up
for longer (``--warmUp``), let nothing else use the GPU, and measure again.
Does not apply: rare spikes (medians do not see them), and changes below the limit, which no single run tells from the
difference between two runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.perf.samples.steadiness import UNSTABLE_PCT
from trex.perf.verdict import BETWEEN_RUNS_PCT
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule

_DOCUMENTS = ("TensorRT Developer Guide: Performance Benchmarking, GPU clock locking and floating clock",)
_PROOF = "with locked clocks the same engine's times keep one level, and two runs agree"


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    samples = seen.performance.samples
    main, steady = samples.main, samples.steadiness
    if main is None:
        said = next((note for note in seen.plan.notes if note.code == "unstable-gpu-time"), None)
        if said is not None:
            yield Finding(
                f"trtexec itself warns: {said.message}",
                evidence=(Evidence("where", said.where or None),),
                advice=("lock the clocks: nvidia-smi --lock-gpu-clocks=MHZ", "let nothing else use the GPU"),
                documentation=_DOCUMENTS,
                proof=_PROOF,
                confidence=0.9,
            )
        elif seen.is_timed or seen.plan.metadata.latency:
            yield CannotTell(f"whether the run was steady: {samples.reason}", "measure with --exportTimes=FILE")
        return
    if steady.is_steady is None:
        yield CannotTell(f"whether the run was steady: {main.count:,} samples are too few", "measure for longer")
        return
    change = steady.uncertainty_pct or 0.0
    if steady.is_steady or change < limits["change"]:
        return
    advice = []
    if main.warm_up.samples and main.warm_up.excess_pct:
        advice.append("warm up for longer, so that the slow beginning is not counted: --warmUp=1000 (milliseconds)")
    if main.trend.drifts:
        advice.append("times that wander are mostly a GPU that warms up: lock its clocks below where it throttles")
    advice.append("lock the clocks: nvidia-smi --lock-gpu-clocks=MHZ (undone by --reset-gpu-clocks)")
    advice.append("let nothing else use the GPU, and let the host wait awake: --useSpinWait")
    yield Finding(
        f"the run was not steady: {'; '.join(steady.findings)}",
        evidence=(
            Evidence("largest change", round(change, 2), "%"),
            Evidence("samples", main.count),
            Evidence("median", main.median_ms, "ms"),
        ),
        advice=tuple(advice),
        documentation=_DOCUMENTS,
        proof=_PROOF,
        confidence=0.95,
        severity=Severity.WARNING if change >= UNSTABLE_PCT else Severity.NOTE,
    )


RULE = Rule(
    "MEAS001",
    "run that was not steady",
    Severity.WARNING,
    check,
    {"change": Limit(BETWEEN_RUNS_PCT, "%", "the least change within a run that is told, of the median")},
    is_first=True,
)
