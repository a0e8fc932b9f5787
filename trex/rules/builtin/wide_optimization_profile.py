"""One optimization profile for very different shapes.

What it finds: inputs whose largest shape in the profile has many times the elements of its smallest.
Why it matters: kernels are chosen at one shape, the optimum, and must run at all of them; memory is taken for the
largest. The wider the range, the farther most runs are from the kernels they should have.
What to try: several optimization profiles, each around a shape in use, and no larger maximum than is ever used.
Does not apply: engines of fixed shapes. Whether the width costs anything shows only in a comparison, so this is a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from trex.core.shape import shape_text
from trex.rules.analyzed_engine import Inspected
from trex.rules.dynamic_inputs import dynamic_inputs
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    untold: list[str] = []
    for name, ranges in dynamic_inputs(seen.plan).items():
        low = None if ranges is None else ranges.minimum
        high = None if ranges is None else ranges.maximum
        if low is None or high is None or None in low or None in high:
            untold.append(name)
            continue
        least = prod(max(1, dim or 0) for dim in low)
        most = prod(dim or 0 for dim in high)
        ratio = most / least
        if ratio < limits["ratio"]:
            continue
        optimum = None if ranges is None or ranges.optimum is None else shape_text(ranges.optimum)
        yield Finding(
            f"one profile serves {name} from {shape_text(low)} to {shape_text(high)}, {ratio:,.0f} times the elements",
            evidence=(
                Evidence("smallest shape", shape_text(low)),
                Evidence("optimum", optimum),
                Evidence("largest shape", shape_text(high)),
                Evidence("largest / smallest", round(ratio, 1)),
            ),
            advice=(
                "several profiles, each with the optimum of its own range: repeat --profile=N --minShapes … "
                "--optShapes … --maxShapes …, or config.add_optimization_profile for each",
                "no larger maximum than is ever used: memory is taken for it",
            ),
            documentation=("TensorRT Developer Guide: Working with Dynamic Shapes, optimization profiles",),
            proof="an engine built for one of the shapes alone is faster at it",
            confidence=0.4,
            tensors=(name,),
        )
    if untold:
        yield CannotTell(
            f"how wide the optimization profile is ({', '.join(untold[:4])}): its shapes are not told",
            "keep the log of the build, or its metadata, beside the graph",
        )


RULE = Rule(
    "SHAPE002",
    "wide optimization profile",
    Severity.NOTE,
    check,
    {"ratio": Limit(32.0, "times", "elements of the largest shape over those of the smallest")},
)
