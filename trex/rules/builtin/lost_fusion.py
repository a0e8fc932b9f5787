"""Operators that were one kernel in the baseline and are several now.

What it finds: groups of the same operators for which this engine runs more kernels than the baseline does. Copies do
not count: other rules report them.
Why it matters: each additional kernel reads and writes its tensors through memory again, and is launched again.
What to try: find the operator that came between (a cast, a transpose, a plugin, a second reader of a tensor); mark no
inner tensor as output; give the layers one precision.
Does not apply: without a baseline. If the kernels take no longer than the one did, the finding has no savings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.baseline_match import LOSS_FORMULA
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import listed, main_operation


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding]:
    match, baseline = engine.baseline_match, engine.baseline
    if match is None or baseline is None:
        return
    for group in match.groups:
        here, there = match.kernels(group)
        if not there or len(here) - len(there) < max(1, limits["layers"]):
            continue
        main, before = match.mains(group)
        is_slower = match.is_slower(group)
        savings = match.loss(group)
        names = listed([engine.layers[position].name for position in here], 4)
        finding = Finding(
            f"{main_operation(engine.layers[main])}: {len(here)} kernels, {len(there)} in the baseline ({names})",
            layers=engine.indexes(here),
            savings=savings,
            formula=LOSS_FORMULA if savings else "",
            evidence=(
                Evidence("kernels here", len(here)),
                Evidence("kernels in the baseline", len(there)),
                Evidence("in the baseline", baseline.layers[before].name),
                *group.times,
            ),
            fix=(
                "compare both ONNX models for what is between the operators now (a Cast, Transpose, Q/DQ, a second "
                "reader): remove it or move it",
                "mark no tensor between them as output, and give the layers one precision",
            ),
            documentation=("TensorRT Developer Guide: Layer Fusion",),
            how_to_check="the operators are one layer again and take as long as in the baseline",
            confidence=0.9 if is_slower else 0.6,
            severity=Severity.WARNING if is_slower else Severity.NOTE,
        )
        yield match.qualified(finding) if savings else finding


RULE = Rule(
    "DIFF002",
    "fusion lost against the baseline",
    Severity.WARNING,
    check,
    {"layers": RuleLimit(1.0, "", "least number of additional kernels in a group")},
)
