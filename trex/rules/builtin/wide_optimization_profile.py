"""One optimization profile for very different shapes.

What it finds: inputs whose largest shape in the profile has many times the elements of its smallest.
Why it matters: kernels are chosen at one shape, the optimum, and must run at all; memory is allocated for the largest.
The wider the range, the farther most runs are from the best kernels.
What to try: several optimization profiles, each around a shape in use, and no larger maximum than is ever used.
Does not apply: engines of fixed shapes. Only a comparison shows whether the width costs anything, so this is a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from trex.core.shape import shape_text
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import METADATA_HINT


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    unknown: list[str] = []
    for name, ranges in engine.dynamic_inputs.items():
        low = None if ranges is None else ranges.minimum
        high = None if ranges is None else ranges.maximum
        if low is None or high is None or None in low or None in high:
            unknown.append(name)
            continue
        ratio = prod(extent or 0 for extent in high) / prod(max(1, extent or 0) for extent in low)
        if ratio < limits["ratio"]:
            continue
        optimum = None if ranges is None or ranges.optimum is None else shape_text(ranges.optimum)
        yield Finding(
            f"One profile covers {name} from {shape_text(low)} to {shape_text(high)}, {ratio:,.0f} times the elements",
            evidence=(
                Evidence("smallest shape", shape_text(low)),
                Evidence("optimum", optimum),
                Evidence("largest shape", shape_text(high)),
                Evidence("largest / smallest", round(ratio, 1)),
            ),
            fix=(
                "several profiles, each with the optimum of its own range: repeat --profile=N --minShapes … "
                "--optShapes … --maxShapes …, or config.add_optimization_profile for each",
                "no larger maximum than is ever used: memory is allocated for it",
            ),
            documentation=("TensorRT Developer Guide: Working with Dynamic Shapes, optimization profiles",),
            how_to_check="an engine built for one of the shapes alone is faster at it",
            confidence=0.4,
            tensors=(name,),
        )
    if unknown:
        yield Unchecked(f"the optimization profile's shapes are unknown ({', '.join(unknown[:4])})", METADATA_HINT)


RULE = Rule(
    "SHAPE002",
    "wide optimization profile",
    Severity.NOTE,
    check,
    {"ratio": RuleLimit(32.0, "times", "least factor between the elements of the largest and the smallest shape")},
)
