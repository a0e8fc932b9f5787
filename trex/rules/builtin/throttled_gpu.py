"""A GPU that was throttled while it was measured.

What it finds: monitor readings of the profiling stage in which power, heat or another limit slowed the GPU.
Why it matters: the times are those of a slower GPU, and layers that ran while it was slow seem to take longer than
others.
What to try: lock the clocks at a level that the GPU can hold, cool it, raise its power limit if allowed, pause between
runs.
Does not apply: clocks set by the user, and an idle GPU: neither is throttling.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    samples = engine.performance.samples
    throttling = samples.throttling
    if throttling is None or not throttling.is_known:
        if engine.is_timed or samples.main is not None:
            what = "the clocks were" if throttling is None else "the reasons for the clocks were"
            yield Unchecked(
                f"{what} not monitored, so whether the GPU was throttled is unknown",
                "trex process monitors the clocks while it measures",
            )
        return
    if not throttling.was_slowed:
        return
    evidence = (
        Evidence("throttled for", round(throttling.slowed_s, 3), "s"),
        Evidence("monitored for", round(throttling.watched_s, 3), "s"),
        Evidence("lowest SM clock", throttling.lowest_mhz, "MHz"),
        Evidence("median SM clock", throttling.median_mhz, "MHz"),
    )
    yield Finding(
        f"The GPU was throttled ({', '.join(throttling.reasons)}) for {throttling.slowed_s:.2g} of "
        f"{throttling.watched_s:.2g} s of the run",
        evidence=evidence,
        fix=(
            "lock the clocks at a level that the GPU can hold: nvidia-smi --lock-gpu-clocks=MHZ",
            "cool the GPU, or raise its power limit if allowed: nvidia-smi --power-limit=W",
        ),
        documentation=(
            "TensorRT Developer Guide: Performance Benchmarking, GPU temperature monitoring and throttling",
        ),
        how_to_check="at lower locked clocks the monitor shows no throttling, and times do not rise with temperature",
        confidence=0.9,
    )


RULE = Rule(
    "MEAS002",
    "GPU throttled while it was measured",
    Severity.WARNING,
    check,
    is_first=True,
    needs_measurement=True,
    is_experimental=True,
)
