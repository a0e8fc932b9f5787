"""EnginePlan → whether the builder's own words about it are at hand."""

from __future__ import annotations

from trex.plan.engine_plan import EnginePlan

_TOLD_WHILE_BUILDING = ("engine_built_s", "engine_generation_s", "model_parsed_s")


def has_build_log(plan: EnginePlan) -> bool:
    """True when a log of the build was read: only then does the absence of a warning mean anything."""
    told = {**plan.metadata.milestones, **plan.build_metadata.milestones}
    return any(name in told for name in _TOLD_WHILE_BUILDING)
