"""Most of the time is in layers whose kernels, types and tensors are not in the files."""

from __future__ import annotations

from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State

_LEAST_PCT = 50.0
_LEAST_WITHOUT_FIX_PCT = 20.0
"""What cannot be seen is no reason to call an engine healthy."""


def describe(facts: DiagnosisFacts) -> Description | None:
    if facts.engine.plan.engine.verbosity == "names" and not facts.precision:
        return Description(
            f"opaque: the files name {facts.layers_text} without types and tensors, {facts.main_types}",
            "build with --profilingVerbosity=detailed",
        )
    share = facts.share(facts.regions)
    if share < (_LEAST_PCT if facts.fixes else _LEAST_WITHOUT_FIX_PCT):
        return None
    count = len(facts.regions)
    noun = "region" if count == 1 else "regions"
    return Description(
        f"opaque: {count:,} {noun} without listed kernels take {share:.0f} % of the time",
        "build with TensorRT 10 and --profilingVerbosity=detailed, or trace the kernels with nsys",
    )


STATE = State(90, describe)
