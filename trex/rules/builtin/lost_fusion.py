"""Operators that were one kernel in the baseline and are several here.

What it finds: groups of the same operators for which this engine runs more layers that do work than the baseline does.
Copies are not counted: rules of their own do that.
Why it matters: each kernel more reads and writes its tensors through memory once more, and is launched once more.
What to try: see which operator came between (a cast, a transpose, a plugin, a second reader of a tensor); mark no inner
tensor as output; give the layers one precision.
Does not apply: without a baseline; when the several kernels take no longer than the one did it is told with no price.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.baseline_match import kernels
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule
from trex.rules.wording import listed, main_operation

_NAMED = 4


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding]:
    against = seen.against
    if against is None:
        return
    for group in against.groups:
        here, there = kernels(seen, group.here), kernels(against.there, group.there)
        if not there or len(here) - len(there) < max(1, limits["layers"]):
            continue
        main, before = against.mains(group)
        is_slower = against.is_slower(group)
        stake = against.loss(group)
        names = listed([seen.layers[place].name for place in here], _NAMED)
        found = Finding(
            f"{main_operation(seen.layers[main])}: {len(here)} kernels here, {len(there)} in the baseline ({names})",
            tuple(seen.layers[place].index for place in here),
            stake,
            "t · (1 − t of the group in the baseline / t of the group here)" if stake else "",
            (
                Evidence("kernels here", len(here)),
                Evidence("kernels in the baseline", len(there)),
                Evidence("in the baseline", against.there.layers[before].name),
                Evidence("time here", group.here_ms if group.here_ms == group.here_ms else None, "ms"),
                Evidence("time in the baseline", group.there_ms if group.there_ms == group.there_ms else None, "ms"),
            ),
            (
                "see in both ONNX models what stands between the operators now (a Cast, Transpose, Q/DQ, a second "
                "reader): remove it or move it out",
                "mark no tensor between them as output, and give the layers one precision",
            ),
            ("TensorRT Developer Guide: Layer Fusion",),
            "the operators are one layer again, and take what they took",
            0.9 if is_slower else 0.6,
            Severity.WARNING if is_slower else Severity.NOTE,
        )
        yield against.told(found) if stake else found


RULE = Rule(
    "DIFF002",
    "fusion lost against the baseline",
    Severity.WARNING,
    check,
    {"layers": Limit(1.0, "", "how many more kernels a group must have to be told")},
)
