"""EnginePlan → the error bar of its prediction: the range of GPU compute times expected of a real run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from trex.core.timings import LONGEST_MS
from trex.plan.engine_plan import EnginePlan

KEYS = ("expected_from_ms", "expected_to_ms")
"""Keys in a section of MARKS in an engine's metadata."""

MARKS = ("simulated", "built_on_cpu")


def is_predicted(plan: EnginePlan) -> bool:
    return plan.provenance.has_predicted_times


def expected_ms(plan: EnginePlan) -> tuple[float, float] | None:
    """(lowest, highest) expected GPU compute of an inference in milliseconds, from the engine's own files; None if they
    do not contain two ascending times.
    """
    section = _section(plan)
    ends = [section.get(key) for key in KEYS]
    known = [float(end) for end in ends if isinstance(end, int | float) and not isinstance(end, bool)]
    if len(known) != len(KEYS):
        return None
    low, high = known
    return (low, high) if math.isfinite(low) and 0.0 < low <= high <= LONGEST_MS else None


def validated_engines(plan: EnginePlan) -> int | None:
    """Number of real engines behind the error bar, from the engine's own files; None if they do not contain it."""
    count = _section(plan).get("validated_engines")
    return count if type(count) is int and count > 0 else None


def _section(plan: EnginePlan) -> Mapping[str, Any]:
    for metadata in (plan.metadata, plan.build_metadata):
        for mark in MARKS:
            if isinstance(section := metadata.extra.get(mark), dict):
                return section
    return {}
