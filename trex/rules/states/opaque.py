"""Most of the time is in layers whose kernels, types and tensors are not in the files."""

from __future__ import annotations

from trex.core.counted import counted
from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.operators import DLA
from trex.rules.state import Description, State

LEAST_PCT = 50.0
LEAST_WITHOUT_FIX_PCT = 20.0
"""What cannot be seen is no reason to call an engine healthy."""

_OF_BUILDER = "build with TensorRT 10 and --profilingVerbosity=detailed, or trace the kernels with nsys"
_OF_RECORDS = "pair the graph with the profile that was exported from the same engine file"
_OF_DLA = "compare with a build for the GPU (without --useDLACore): no release lists what runs on the DLA"


def describe(facts: DiagnosisFacts) -> Description | None:
    if facts.engine.plan.engine.verbosity == "names" and not facts.precision:
        return Description(
            f"opaque: the files name {facts.layers_text} without types and tensors, {facts.main_types}",
            "build with --profilingVerbosity=detailed",
        )
    join = facts.engine.plan.join
    if join is not None and join.time_covered_pct is not None and join.time_covered_pct <= 100.0 - LEAST_PCT:
        return Description(
            f"opaque: {100.0 - join.time_covered_pct:.0f} % of the profile's time is of no listed layer", _OF_RECORDS
        )
    share = facts.share(facts.regions) + facts.dla_share
    untimed = facts.untimed.intersection(facts.regions)
    if share >= (LEAST_PCT if facts.fixes else LEAST_WITHOUT_FIX_PCT):
        take = "takes" if len(facts.regions) == 1 else "take"
        regions = f"{counted(len(facts.regions), 'region')} without listed kernels"
        rows = ", mostly in the rows of GPU layers that wait for the DLA" if facts.dla_share > share / 2.0 else ""
        sentence = f"{regions} {take} {share:.0f} % of the time{rows}"
    elif untimed and not facts.fixes:
        sentence = f"{counted(len(untimed), 'region')} without listed kernels and without a time"
    else:
        return None
    is_dla = all(facts.engine.layers[position].type == DLA for position in facts.regions)
    return Description(f"opaque: {sentence}", _OF_DLA if is_dla else _OF_BUILDER)


STATE = State(90, describe)
