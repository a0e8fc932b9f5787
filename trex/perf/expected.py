"""EnginePlan → the error bars of its prediction: between which GPU compute times a simulated engine is expected."""

from __future__ import annotations

import math

from trex.core.provenance import Provenance
from trex.core.timings import LONGEST_MS
from trex.plan.engine_plan import EnginePlan

KEYS = ("expected_from_ms", "expected_to_ms")
"""Of the section ``simulated`` in an engine's metadata."""


def is_predicted(plan: EnginePlan) -> bool:
    return plan.provenance is Provenance.SIMULATED


def expected_ms(plan: EnginePlan) -> tuple[float, float] | None:
    """(least, most) GPU compute of an inference in milliseconds, as the engine's own files tell; None where they do not
    or where it is no pair of ascending times.
    """
    told = next((each.extra[_SECTION] for each in (plan.metadata, plan.build_metadata) if _SECTION in each.extra), None)
    ends = [told.get(key) for key in KEYS] if isinstance(told, dict) else []
    known = [float(each) for each in ends if isinstance(each, int | float) and not isinstance(each, bool)]
    if len(known) != len(KEYS):
        return None
    low, high = known
    return (low, high) if math.isfinite(low) and 0.0 < low <= high <= LONGEST_MS else None


_SECTION = "simulated"
