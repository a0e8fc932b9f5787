"""A healthy engine that waits for memory more than for arithmetic."""

from __future__ import annotations

from trex.perf.achievable import Bound
from trex.rules.diagnosis_facts import FIX_PCT, DiagnosisFacts
from trex.rules.state import Description, State

_LEAST_PCT = 60.0


def describe(facts: DiagnosisFacts) -> Description | None:
    share = facts.bound_share(Bound.MEMORY, Bound.L2)
    if share < _LEAST_PCT:
        return None
    return Description(
        f"memory-bound {facts.name} without a hole: {share:.0f} % of the time is in layers that wait for memory",
        f"no fix of a layer above {FIX_PCT:g} % of the time remains: use smaller types, or larger batches, which read "
        "the weights once for more inputs",
    )


STATE = State(120, describe, is_healthy=True)
