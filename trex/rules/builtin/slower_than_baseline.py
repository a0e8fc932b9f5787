"""Layers that take longer than those of the same operators in the baseline.

What it finds: groups of layers that come from the same operators in both engines, and take longer here by more than the
measurement error and by more than the limit's share of the engine's time.
Why it matters: after an upgrade, a new precision or another export this is where the time went.
What to try: check what changed in the group (kernels, types, number of layers, as in the evidence); build its operators
alone in both versions, which NVIDIA also needs for a report.
Does not apply: without a baseline; engines measured on different devices; a measured and a predicted engine; operators
with other names in the two models. Findings on two predictions are notes that say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.baseline_match import LOSS_FORMULA, BaselineMatch, MatchedLayers
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import main_operation, ms


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    match, baseline = engine.baseline_match, engine.baseline
    if match is None or baseline is None or not engine.layers or not baseline.layers:
        return
    if not match.groups:
        yield Unchecked(
            "no operator has the same name in the baseline",
            "compare engines that were built from one export of the model",
        )
        return
    if not (engine.is_timed and baseline.is_timed):
        yield Unchecked("the engine or the baseline has no layer profile", "profile both: --exportProfile")
        return
    if match.not_comparable:
        reason = f"times of engine and baseline can't be compared: {match.not_comparable}"
        yield Unchecked(reason, "measure both on one device, at the same clocks")
        return
    for group in match.groups:
        if match.is_slower(group) and group.lost_ms >= limits["share"] / 100.0 * engine.total_ms:
            yield match.qualified(_finding(engine, baseline, match, group))


def _finding(engine: AnalyzedEngine, baseline: AnalyzedEngine, match: BaselineMatch, group: MatchedLayers) -> Finding:
    here, there = match.mains(group)
    layer, before = engine.layers[here], baseline.layers[there]
    kernels, kernels_before = map(len, match.kernels(group))
    more_pct = 100 * group.lost_ms / group.there_ms if group.there_ms else float("inf")
    return Finding(
        f"{main_operation(layer)} takes {ms(group.here_ms)}, in the baseline {ms(group.there_ms)} "
        f"({more_pct:.0f} % more)",
        layers=engine.indexes((here, *group.here)),
        main_layers=(layer.index,),
        savings=match.loss(group),
        formula=LOSS_FORMULA,
        evidence=(
            *group.times,
            Evidence("kernels, here / in the baseline", f"{kernels} / {kernels_before}"),
            Evidence("precision, here / in the baseline", f"{layer.precision} / {before.precision}"),
            Evidence("kernel here", layer.tactic or None),
            Evidence("kernel in the baseline", before.tactic or None),
            Evidence("smallest difference that the samples show", round(match.smallest_pct, 1), "%"),
        ),
        fix=(
            "see the findings on lost fusions, wider types and other kernels at the same layers",
            "build these operators alone in both versions (polygraphy surgeon extract) and time them; NVIDIA needs "
            "this small model for a report",
            "use the old timing cache in the new build, to check whether the choice of kernels is the cause",
        ),
        documentation=("NVIDIA/TensorRT issues 2890, 3184, 3529 (what a report of a regression needs)",),
        how_to_check="the operators alone, built in both versions, differ by as much",
        confidence=0.9,
    )


RULE = Rule(
    "DIFF001",
    "slower than the baseline",
    Severity.WARNING,
    check,
    {"share": RuleLimit(0.5, "%", "least share of a group's additional time in the engine's time")},
)
