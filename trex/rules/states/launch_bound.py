"""Most of the time is the fixed cost of short kernels."""

from __future__ import annotations

from trex.perf.run_flags import run_flags
from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State

_LEAST_PCT = 60.0
_LARGE_FIX_PCT = 10.0
"""A fix that saves more says more about the engine than its short kernels."""


def describe(facts: DiagnosisFacts) -> Description | None:
    share = facts.launch_share
    first = facts.share_of_savings(facts.fixes[0]) if facts.fixes else 0.0
    if share < _LEAST_PCT or first >= _LARGE_FIX_PCT:
        return None
    flags = run_flags(facts.engine.plan.metadata.inference_options)
    batches = "use larger batches" if flags.cuda_graph or flags.capture_failed else "use larger batches or a CUDA graph"
    advice = "" if facts.fixes else f"{batches}: no layer alone is worth a change"
    return Description(
        f"launch-bound {facts.name}: {share:.0f} % of the time is in kernels too short to fill the GPU", advice
    )


STATE = State(100, describe)
