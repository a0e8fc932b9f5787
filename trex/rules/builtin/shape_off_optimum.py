"""A run at shapes for which the engine was not tuned.

What it finds: dynamic inputs whose shape in the run has many times more, or fewer, elements than the optimum of the
optimization profile.
Why it matters: the builder times and chooses kernels at the profile's optimum only; at other shapes other kernels may
be faster. A batch far from the optimum is the usual case.
What to try: build with the real shape as optimum (``--optShapes=input:8x3x224x224``), or with one optimization profile
for each range of shapes in use, and compare with an engine of fixed shape.
Does not apply: inputs of fixed shape; unknown shapes or profiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from trex.core.printable import shell_word
from trex.core.shape import Shape, shape_text
from trex.perf.run_flags import run_flags
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    shapes = run_flags(engine.plan.metadata.inference_options).shapes or {}
    unknown: list[str] = []
    for name, ranges in engine.dynamic_inputs.items():
        shape, optimum = _shape(shapes.get(name, "")), None if ranges is None else ranges.optimum
        if shape is None or optimum is None:
            unknown.append(name)
            continue
        if len(shape) != len(optimum) or not prod(shape) or not (elements := _elements(optimum)):
            continue
        ratio = prod(shape) / elements
        if max(ratio, 1.0 / ratio) < limits["ratio"]:
            continue
        what = "batch" if shape[1:] == optimum[1:] else "shape"
        times = f"{ratio:.3g} times" if ratio > 1.0 else f"1/{1.0 / ratio:.3g} of"
        yield Finding(
            f"The run's {what} of {name} is {shape_text(shape)}, {times} the elements of the profile's optimum "
            f"{shape_text(optimum)}, for which the kernels were chosen",
            evidence=(
                Evidence("shape of the run", shape_text(shape)),
                Evidence("optimum of the profile", shape_text(optimum)),
                Evidence("elements, run / optimum", round(ratio, 4)),
            ),
            fix=(
                f"build with the shape in use: {shell_word(f'--optShapes={name}:' + 'x'.join(map(str, shape)))}",
                "one optimization profile for each range of shapes in use (IBuilderConfig.addOptimizationProfile)",
            ),
            documentation=(
                "TensorRT Developer Guide: Working with Dynamic Shapes, optimization profiles",
                "NVIDIA/TensorRT issues 976, 1166, 2343",
            ),
            how_to_check="an engine built with this optimum, or of this fixed shape, is faster at it",
            confidence=0.6,
            tensors=(name,),
        )
    if unknown:
        yield Unchecked(
            f"the run's shape or the profile's optimum is unknown ({', '.join(unknown[:4])})",
            "keep the logs of the build and of the run, or their metadata, next to the graph",
        )


def _shape(text: str) -> tuple[int, ...] | None:
    """``8x3x224x224`` as numbers; None if it is not a shape."""
    parts = text.split("x")
    return tuple(map(int, parts)) if text and all(part.isdecimal() and len(part) < 14 for part in parts) else None


def _elements(shape: Shape) -> int | None:
    return None if None in shape else prod(extent for extent in shape if extent is not None)


RULE = Rule(
    "SHAPE001",
    "run far from the profile's optimum",
    Severity.WARNING,
    check,
    {"ratio": RuleLimit(2.0, "times", "least factor of elements, more or fewer than the optimum")},
    needs_measurement=True,
    is_experimental=True,
)
