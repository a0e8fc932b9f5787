"""Sparse weights that the builder found and made no use of.

What it finds: build logs that name layers eligible for sparse kernels, of which the engine uses fewer than the limit's
share.
Why it matters: weights were pruned, which may have cost accuracy, and nothing was gained.
What to try: sparse kernels win for large products only: more than 256 channels in and out, large batches. Q/DQ around
the weights, and groups, keep layers from being eligible at all; ``--sparsity=force`` shows what could be.
Does not apply: when most of the eligible layers were given sparse kernels. Which layers they are is told in the log,
and by the rule on layers with sparse weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    told = {**seen.plan.metadata.milestones, **seen.plan.build_metadata.milestones}
    eligible, picked = told.get("sparsity_eligible_layers"), told.get("sparsity_picked_layers")
    if eligible is None:
        sparsity = str(seen.plan.build_metadata.build_options.get("Sparsity", "")).lower()
        if sparsity.startswith(("enable", "force")):
            yield CannotTell(
                "which layers could use sparse weights: sparsity was enabled, but no log of the build tells",
                "trtexec --verbose … 2>&1 | tee build.log, beside the graph",
            )
        return
    if not eligible:
        return
    if picked is None:
        yield CannotTell(
            f"how many of {eligible:,.0f} eligible layers use sparse kernels: the log ends before it says so",
            "keep the whole log of the build",
        )
        return
    if picked >= limits["share"] / 100.0 * eligible:
        return
    yield Finding(
        f"the builder found {eligible:,.0f} layers eligible for sparse kernels and gave {picked:,.0f} of them one",
        evidence=(Evidence("eligible layers", int(eligible)), Evidence("layers with sparse kernels", int(picked))),
        advice=(
            "prune where it pays: products of more than 256 channels in and out",
            "see what the hardware could do: --sparsity=force (wrong results, right times)",
            "no Q/DQ between the stored weights and the layer may change what is 0",
        ),
        documentation=(
            "TensorRT Developer Guide: Sparsity",
            "TensorRT issues #3849, #4065, #4056",
        ),
        proof="the log says 'TRT inference plan picked sparse implementation for layers' with their names behind it",
        confidence=0.9,
    )


RULE = Rule(
    "BUILD004",
    "eligible for sparse kernels, not given them",
    Severity.NOTE,
    check,
    {"share": Limit(50.0, "%", "of the eligible layers that should have sparse kernels")},
)
