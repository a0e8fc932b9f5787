"""A normalization that runs as several kernels.

What it finds: mean, variance, square root and division of one normalization (LayerNormalization, RMS, instance or group
normalization written as ReduceMean, Sub, Pow, Sqrt, Div) in two or more kernels.
Why it matters: each kernel reads and writes the whole tensor for a few operations per value; one kernel reads it once.
In separate operators it also overflows in FP16: the squares of values above 256 do.
What to try: export with opset 17 or later, so that LayerNormalization stays one operator (18 for GroupNormalization);
keep types and layout the same from ReduceMean to Mul; if accuracy needs FP32, let TensorRT compute the one operator in
FP32 instead of casts around its parts.
Does not apply: normalizations inside a region; very long rows, for which two passes may be better; models that have the
normalization as one operator: the builder then chose the split, mostly to fuse each part with a neighbor. Parts that
contain a neighbor's work are less certain to gain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.layer import Role
from trex.rules.analyzed_engine import ONE_PASS_FORMULA, AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.neighbors import shortest_path
from trex.rules.operators import REGIONS, WHOLE_NORMALIZATIONS
from trex.rules.rule import Rule
from trex.rules.wording import cost, layer_name, listed, ms

_PARTS = frozenset({"reducemean", "sub", "pow", "sqrt", "div", "mul", "add", "cast", "reciprocal", "square", "rsqrt"})
_PASSING = frozenset({"move", "reshape", "transpose", "reducesum"})
_OF_FUSED_PARTS = 0.3
"""Confidence where a part also contains other work: one kernel for all parts would take it out of its own."""
_MEANS = frozenset({"reducemean", "mean"})
_ROOTS = frozenset({"sqrt", "rsqrt"})


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    words = engine.operations.words
    taken: set[int] = set()
    parts_of: dict[int, set[int]] = {}
    for position in range(len(engine.layers)):
        if words[position].isdisjoint(_MEANS) or position in taken or not words[position].isdisjoint(_ROOTS):
            continue
        if engine.layers[position].role is not Role.KERNEL or engine.operations.is_gemm(position):
            continue
        path = _to_root(engine, position)
        if not path:
            continue
        root = path[-1]
        if root not in parts_of:
            parts_of[root] = set()
            path += _divisions(engine, root)
        parts = {part for part in (position, *path) if engine.layers[part].role is Role.KERNEL}
        parts_of[root] |= parts
        if _are_apart(engine, parts):
            taken |= parts
    for parts in parts_of.values():
        if len(parts) > 1 and _are_apart(engine, parts):
            yield _finding(engine, sorted(parts))
    hidden = [position for position in engine.of_type(*REGIONS) if not words[position].isdisjoint(_MEANS)]
    if hidden:
        yield Unchecked(
            f"{len(hidden):,} regions contain a ReduceMean; the number of its kernels is unknown",
            "build with TensorRT 10, which lists the kernels of regions",
            engine.indexes(hidden),
        )


def _to_root(engine: AnalyzedEngine, mean: int) -> list[int]:
    """Layers after the mean up to the root; empty if none follows."""
    words = engine.operations.words

    def is_part(position: int) -> bool:
        return _is_part(engine, position)

    return shortest_path(mean, engine.after, lambda p: is_part(p) and not words[p].isdisjoint(_ROOTS), is_part)


def _divisions(engine: AnalyzedEngine, root: int) -> list[int]:
    """Layers that divide by the root, unless it does so itself."""
    words = engine.operations.words
    if "div" in words[root]:
        return []
    return [after for after in engine.after(root) if _is_part(engine, after) and "div" in words[after]]


def _are_apart(engine: AnalyzedEngine, parts: set[int]) -> bool:
    """Whether no part is of a normalization that is one operator in the model."""
    return all(engine.operations.words[part].isdisjoint(WHOLE_NORMALIZATIONS) for part in parts)


def _is_part(engine: AnalyzedEngine, position: int) -> bool:
    return not engine.operations.is_gemm(position) and not engine.operations.words[position].isdisjoint(_PARTS)


def _finding(engine: AnalyzedEngine, parts: list[int]) -> Finding:
    layers = [engine.layers[position] for position in parts]
    time_ms = sum(engine.savings(parts).values())
    savings = engine.one_pass_savings(parts)
    time = f", {cost(time_ms, engine)}" if time_ms else ""
    saved = f"; up to {ms(sum(savings.values()))} can be saved" if savings else ""
    fused = any(not engine.operations.tokens(p) <= _PARTS | _PASSING for p in parts)
    types = list(dict.fromkeys(tensor.precision for layer in layers for tensor in layer.outputs[:1]))
    return Finding(
        f"A normalization runs as {len(parts)} kernels{time}: {listed(layer_name(layer) for layer in layers)}{saved}",
        layers=engine.indexes(parts),
        savings=savings,
        formula=ONE_PASS_FORMULA if savings else "",
        evidence=(Evidence("kernels", len(parts)), Evidence("types", ", ".join(types))),
        fix=(
            "torch.onnx.export(…, opset_version=17): LayerNormalization stays one operator",
            "remove casts and reformats between ReduceMean and Div, so that all parts have one type",
            "keep the one operator in FP32 if FP16 overflows, not its parts",
        ),
        documentation=(
            "TensorRT Operator Reference: Normalization",
            "ONNX: LayerNormalization (opset 17)",
            "NVIDIA/TensorRT issues 2781, 3230",
        ),
        how_to_check="the new engine has one kernel for the normalization",
        confidence=_OF_FUSED_PARTS if fused else 0.8 if len(types) == 1 else 0.7,
    )


RULE = Rule("NORM001", "normalization in several kernels", Severity.WARNING, check)
