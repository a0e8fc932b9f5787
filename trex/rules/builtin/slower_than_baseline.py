"""Layers that take longer than those of the same operators in the baseline.

What it finds: groups of layers that came from the same operators in both engines, and take longer here by more than
the two measurements can be off and by more than the limit's share of the engine's time.
Why it matters: after an upgrade, a new precision or another export this is where the time went.
What to try: look at what changed in the group (its kernels, types, number of layers, as the evidence says); build the
group's operators alone in both versions, which is also what an issue for NVIDIA needs.
Does not apply: without a baseline; to engines measured on different devices; where one was measured and the other
predicted; to operators that have other names in the two models. Of two predictions it is a note that says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.baseline_match import Against, Group, kernels
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule
from trex.rules.wording import main_operation, ms

_DOCUMENTS = ("TensorRT issues #3529, #2890, #3184: what a report of a regression needs",)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    against = seen.against
    if against is None:
        return
    if not seen.layers or not against.there.layers:
        return
    if not against.groups:
        yield CannotTell(
            "what became slower than in the baseline: no operator is called the same in both",
            "compare engines that were built from one export of the model",
        )
        return
    if not (seen.is_timed and against.there.is_timed):
        yield CannotTell(
            "what became slower than in the baseline: one of both has no layer profile", "profile both: --exportProfile"
        )
        return
    if against.unlike:
        yield CannotTell(
            f"what became slower than in the baseline: {against.unlike}",
            "measure both on one device, at the same clocks",
        )
        return
    for group in against.groups:
        if against.is_slower(group) and group.lost_ms >= limits["share"] / 100.0 * seen.total_ms:
            yield against.told(_finding(against, group))


def _finding(against: Against, group: Group) -> Finding:
    here, there = against.mains(group)
    layer, before = against.here.layers[here], against.there.layers[there]
    numbers = [
        len(kernels(side, places)) for side, places in ((against.here, group.here), (against.there, group.there))
    ]
    return Finding(
        f"{main_operation(layer)} takes {ms(group.here_ms)}, in the baseline {ms(group.there_ms)}: "
        f"{100 * group.lost_ms / group.there_ms if group.there_ms else float('inf'):.0f} % more",
        (layer.index, *(against.here.layers[place].index for place in group.here if place != here)),
        against.loss(group),
        "t · (1 − t of the group in the baseline / t of the group here), for each layer of the group",
        (
            Evidence("here", group.here_ms, "ms"),
            Evidence("in the baseline", group.there_ms, "ms"),
            Evidence("layers that do work, here / in the baseline", f"{numbers[0]} / {numbers[1]}"),
            Evidence("precision, here / in the baseline", f"{layer.precision} / {before.precision}"),
            Evidence("kernel here", layer.tactic or None),
            Evidence("kernel in the baseline", before.tactic or None),
            Evidence("least difference that is believed", round(against.least_pct, 1), "%"),
        ),
        (
            "see the findings on lost fusions, wider types and other kernels at the same layers",
            "build these operators alone in both versions (polygraphy surgeon extract) and time them: this small model "
            "is what a report to NVIDIA needs",
            "give the new build the old timing cache, to see whether the choice of kernels is the cause",
        ),
        _DOCUMENTS,
        "the operators alone, built in both versions, differ by as much",
        0.9,
        about=(layer.index,),
    )


RULE = Rule(
    "DIFF001",
    "slower than the baseline",
    Severity.WARNING,
    check,
    {"share": Limit(0.5, "%", "of the engine's time that a group must take longer to be told")},
)
