"""A run at shapes for which the engine was not tuned.

What it finds: inputs with dynamic dimensions whose shape in the run has so many times more, or fewer, elements than the
optimum of the optimization profile as the limit says.
Why it matters: kernels are timed and chosen at the profile's optimum alone; at other shapes they run, but others may be
faster. A batch far from the optimum is the usual case.
What to try: build with the real shape as optimum (``--optShapes=input:8x3x224x224``), or with one optimization profile
for each range of shapes in use, and compare with an engine of fixed shape.
Does not apply: inputs of fixed shape, and runs whose shapes or profiles no file tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from trex.core.shape import Shape, shape_text
from trex.perf.run_flags import run_flags
from trex.rules.analyzed_engine import Inspected
from trex.rules.dynamic_inputs import dynamic_inputs
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    ran = run_flags(seen.plan.metadata.inference_options).shapes or {}
    untold: list[str] = []
    for name, ranges in dynamic_inputs(seen.plan).items():
        shape, optimum = _shape(ran.get(name, "")), None if ranges is None else ranges.optimum
        if shape is None or optimum is None:
            untold.append(name)
            continue
        if len(shape) != len(optimum) or not prod(shape) or not (wanted := _elements(optimum)):
            continue
        ratio = prod(shape) / wanted
        if max(ratio, 1.0 / ratio) < limits["ratio"]:
            continue
        batch_only = shape[1:] == optimum[1:]
        what = "batch" if batch_only else "shape"
        fewer = f"{ratio:.3g} times" if ratio > 1.0 else f"1/{1.0 / ratio:.3g}"
        yield Finding(
            f"the run's {what} of {name} is {shape_text(shape)}, {fewer} of the elements of the profile's optimum "
            f"{shape_text(optimum)}, for which the kernels were chosen",
            evidence=(
                Evidence("shape of the run", shape_text(shape)),
                Evidence("optimum of the profile", shape_text(optimum)),
                Evidence("elements, run / optimum", round(ratio, 4)),
            ),
            advice=(
                f"build with the shape that is used: --optShapes={name}:{'x'.join(map(str, shape))}",
                "one optimization profile for each range of shapes in use (IBuilderConfig.addOptimizationProfile)",
                "compare with an engine of this fixed shape: how much faster it is, is what tuning would gain",
            ),
            documentation=(
                "TensorRT Developer Guide: Working with Dynamic Shapes, optimization profiles",
                "TensorRT issues #1166, #976, #2343",
            ),
            proof="an engine built with this optimum is faster at this shape",
            confidence=0.6,
            tensors=(name,),
        )
    if untold:
        reason = "the run's shape or the profile's optimum is not told"
        yield CannotTell(
            f"whether the run's shape is the one the kernels were chosen for ({', '.join(untold[:4])}): {reason}",
            "keep the logs of the build and of the run, or their metadata, beside the graph",
        )


def _shape(text: str) -> tuple[int, ...] | None:
    """``8x3x224x224`` as numbers; None when it is no shape."""
    parts = text.split("x")
    return tuple(map(int, parts)) if text and all(part.isdecimal() and len(part) < 14 for part in parts) else None


def _elements(shape: Shape) -> int | None:
    return None if None in shape else prod(dim for dim in shape if dim is not None)


RULE = Rule(
    "SHAPE001",
    "run far from the profile's optimum",
    Severity.WARNING,
    check,
    {"ratio": Limit(2.0, "times", "more or fewer elements than the optimum, from which on it is told")},
)
