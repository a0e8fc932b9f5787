"""A GPU that was held below its clocks while it was measured.

What it finds: readings of the monitor, during the stage in which the engine was profiled, in which power, heat or
another limit slowed the GPU.
Why it matters: the times are those of a slower GPU, and layers that ran while it was slow look dearer than the others.
What to try: lock the clocks where the GPU can keep them, cool it, raise its power limit if it may be raised, pause
between runs.
Does not apply: clocks that a user has set, and an idle GPU: they are no throttling.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Rule


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    throttling = seen.performance.samples.throttling
    if throttling is None:
        if seen.is_timed or seen.performance.samples.main is not None:
            yield CannotTell(
                "whether the GPU was slowed: nothing watched it", "trex process watches the clocks while it measures"
            )
        return
    if not throttling.was_slowed:
        return
    evidence = [
        Evidence("slowed for", round(throttling.slowed_s, 3), "s"),
        Evidence("watched for", round(throttling.watched_s, 3), "s"),
        Evidence("lowest SM clock", throttling.lowest_mhz, "MHz"),
        Evidence("median SM clock", throttling.median_mhz, "MHz"),
    ]
    agrees = throttling.correlation is not None and throttling.correlation < 0.0
    if throttling.correlation is not None:
        evidence.append(Evidence("rank correlation of clock and time", round(throttling.correlation, 2)))
    reasons = ", ".join(throttling.reasons)
    yield Finding(
        f"the GPU was slowed ({reasons}) for {throttling.slowed_s:.2g} of {throttling.watched_s:.2g} s of the run",
        evidence=tuple(evidence),
        advice=(
            "lock the clocks where the GPU can keep them: nvidia-smi --lock-gpu-clocks=MHZ",
            "cool the GPU, or raise its power limit where that is allowed: nvidia-smi --power-limit=W",
        ),
        documentation=(
            "TensorRT Developer Guide: Performance Benchmarking, GPU temperature monitoring and throttling",
        ),
        proof="with clocks locked lower the monitor shows no slowdown, and times no longer rise with the temperature",
        confidence=1.0 if agrees else 0.9,
    )


RULE = Rule("MEAS002", "GPU slowed while it was measured", Severity.WARNING, check, is_first=True)
