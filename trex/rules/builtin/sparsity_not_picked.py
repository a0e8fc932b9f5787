"""Sparse weights that the builder found and did not use.

What it finds: build logs that list layers eligible for sparse kernels, if the engine uses fewer of them than the
limit's share.
Why it matters: pruning may have cost accuracy, and nothing was gained.
What to try: sparse kernels win for large GEMMs only: more than 256 channels in and out, large batches. Q/DQ on the
weights, and groups, make layers ineligible; ``--sparsity=force`` shows what is possible.
Does not apply: if most of the eligible layers have sparse kernels. The log and SPARSE001 list the layers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import LOG_HINT


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    build = engine.plan.build_metadata
    milestones = {**engine.plan.metadata.milestones, **build.milestones}
    eligible, picked = milestones.get("sparsity_eligible_layers"), milestones.get("sparsity_picked_layers")
    if eligible is None:
        sparsity = str(build.build_options.get("Sparsity", "")).lower()
        if sparsity.startswith(("enable", "force")):
            reason = "sparsity was enabled, but there is no build log that lists the eligible layers"
            yield Unchecked(reason, LOG_HINT)
        return
    if not eligible:
        return
    if picked is None:
        yield Unchecked(
            f"the log ends before it reports how many of {eligible:,.0f} eligible layers use sparse kernels",
            "keep the whole build log",
        )
        return
    if picked >= limits["share"] / 100.0 * eligible:
        return
    yield Finding(
        f"{eligible:,.0f} layers are eligible for sparse kernels, {picked:,.0f} of them use one",
        evidence=(Evidence("eligible layers", int(eligible)), Evidence("layers with sparse kernels", int(picked))),
        fix=(
            "prune where it pays: GEMMs of more than 256 channels in and out",
            "check what the hardware can do: --sparsity=force (wrong results, right times)",
            "keep Q/DQ between the stored weights and the layer from changing zeros",
        ),
        documentation=("TensorRT Developer Guide: Sparsity", "NVIDIA/TensorRT issues 3849, 4056, 4065"),
        how_to_check="the log lists the layers after 'TRT inference plan picked sparse implementation for layers'",
        confidence=0.9,
    )


RULE = Rule(
    "BUILD004",
    "eligible for sparse kernels, not used",
    Severity.NOTE,
    check,
    {"share": RuleLimit(50.0, "%", "least share of eligible layers with sparse kernels")},
)
