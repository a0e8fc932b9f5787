"""Inferences that did not take the same time throughout the run.

What it finds: per-query times that change level, drift, cluster at two levels or start slower, by the limit or more; a
layer profile whose averages and medians add up to different times; without per-query times, trtexec's own warning that
GPU time was unstable. Changes of less than 5 % are a note: medians of such runs remain comparable.
Why it matters: a difference between two engines that is smaller than the variation within one run shows nothing, and
shares of layers measured at different clocks are not comparable.
What to try: lock the clocks (``nvidia-smi --lock-gpu-clocks``, or ``trex process``, which locks and resets them), warm
up for longer (``--warmUp``), let nothing else use the GPU, and measure again.
Does not apply: rare spikes, which medians ignore; changes below the limit, which are within the difference between two
runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.note import Note
from trex.perf.verdict import BETWEEN_RUNS_PCT
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit

_DOCUMENTATION = ("TensorRT Developer Guide: Performance Benchmarking, GPU clock locking and floating clock",)
_MATERIAL_PCT = 5.0
"""Below this change within a run, medians remain comparable: a gate of 5 % still holds."""
_HOW_TO_CHECK = "with locked clocks the same engine's times stay at one level, and two runs agree"


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    samples = engine.performance.samples
    main, steadiness = samples.main, samples.steadiness
    disturbed = _noted(engine, "averages-off-medians")
    if disturbed is not None:
        yield _of_note(f"The layer profile was disturbed: {disturbed.message}", disturbed)
    if main is None:
        warning = _noted(engine, "unstable-gpu-time")
        if warning is not None:
            yield _of_note(f"trtexec warns: {warning.message}", warning)
        elif disturbed is None and (engine.is_timed or engine.plan.metadata.latency):
            yield Unchecked(f"whether the run was steady: {samples.reason}", "measure with --exportTimes=FILE")
        return
    if steadiness.is_steady is None:
        yield Unchecked(f"whether the run was steady: {main.count:,} samples are too few", "measure for longer")
        return
    change_pct = steadiness.uncertainty_pct or 0.0
    if steadiness.is_steady or change_pct < limits["change"]:
        return
    fixes = []
    if main.warm_up.samples and main.warm_up.excess_pct:
        fixes.append("warm up for longer, to skip the slow start: --warmUp=1000 (milliseconds)")
    if main.trend.drifts:
        fixes.append("drifting times mostly come from a GPU that warms up: lock its clocks below its throttling point")
    fixes.append("lock the clocks: nvidia-smi --lock-gpu-clocks=MHZ (reset with --reset-gpu-clocks)")
    fixes.append("then let nothing else use the GPU, and let the host spin: --useSpinWait")
    yield Finding(
        f"The run was not steady: {'; '.join(steadiness.findings)}",
        evidence=(
            Evidence("largest change", round(change_pct, 2), "%"),
            Evidence("samples", main.count),
            Evidence("median", main.median_ms, "ms"),
        ),
        fix=tuple(fixes),
        documentation=_DOCUMENTATION,
        how_to_check=_HOW_TO_CHECK,
        confidence=0.95,
        severity=Severity.WARNING if change_pct >= _MATERIAL_PCT else Severity.NOTE,
        is_first=change_pct >= _MATERIAL_PCT,
    )


def _noted(engine: AnalyzedEngine, code: str) -> Note | None:
    return next((note for note in engine.plan.notes if note.code == code), None)


def _of_note(message: str, note: Note) -> Finding:
    return Finding(
        message,
        evidence=(Evidence("where", note.where or None),),
        fix=("lock the clocks: nvidia-smi --lock-gpu-clocks=MHZ", "then let nothing else use the GPU"),
        documentation=_DOCUMENTATION,
        how_to_check=_HOW_TO_CHECK,
        confidence=0.9,
        is_first=True,
    )


RULE = Rule(
    "MEAS001",
    "run that was not steady",
    Severity.WARNING,
    check,
    {"change": RuleLimit(BETWEEN_RUNS_PCT, "%", "least change within a run, of the median")},
    needs_measurement=True,
)
