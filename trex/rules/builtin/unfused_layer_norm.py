"""A normalization that runs as several kernels.

What it finds: mean, variance, square root and division of one normalization (LayerNormalization, RMS, instance or group
normalization written out as ReduceMean, Sub, Pow, Sqrt, Div) in two or more kernels.
Why it matters: each of them reads and writes the whole tensor for a few operations a value. One kernel reads it once.
Written out, it overflows in FP16 besides: the squares of values above 256 do.
What to try: export with opset 17 or later, so that LayerNormalization stays one operator (18 for GroupNormalization);
keep types and layout the same from ReduceMean to Mul; where accuracy asks for FP32, let TensorRT compute the one
operator in FP32 in place of casts around its parts.
Does not apply: to what is inside a region; to norms over very long rows, which two passes may serve better.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trex.core.layer import Role
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Rule
from trex.rules.wording import listed, ms, priced, shortened

_PARTS = frozenset({"reducemean", "sub", "pow", "sqrt", "div", "mul", "add", "cast", "reciprocal", "square", "rsqrt"})
_MEANS = frozenset({"reducemean", "mean"})
_ROOTS = frozenset({"sqrt", "rsqrt"})
_MOST_HOPS = 6
_MOST_SEEN = 24
_FORMULA = "sum of the times − the longest of them: one pass over the data in place of several"
_DOCUMENTATION = (
    "TensorRT Operator Reference: Normalization",
    "ONNX: LayerNormalization (opset 17)",
    "NVIDIA/TensorRT issues 2781 and 3230",
)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterable[Finding | CannotTell]:
    words = seen.operations.words
    taken: set[int] = set()
    for place in range(len(seen.layers)):
        if words[place].isdisjoint(_MEANS) or place in taken or not words[place].isdisjoint(_ROOTS):
            continue
        if seen.layers[place].role is not Role.KERNEL or seen.operations.is_product(place):
            continue
        parts = _parts(seen, place)
        if len(parts) > 1:
            taken.update(parts)
            yield _finding(seen, sorted(parts))
    hidden = [place for place in seen.of_type("Myelin", "ForeignNode") if not words[place].isdisjoint(_MEANS)]
    if hidden:
        yield CannotTell(
            f"{len(hidden):,} regions hold a ReduceMean; in how many kernels it runs is not told",
            "build with TensorRT 10, whose regions tell their kernels",
            tuple(seen.layers[place].index for place in hidden),
        )


def _parts(seen: Inspected, start: int) -> set[int]:
    """Kernels from the mean to the root and what divides by it; empty where no root follows.

    Those on the ways from the mean to the root, and the mean's readers that the root's readers use again (x − mean).
    """
    words = seen.operations.words
    came: dict[int, int] = {start: -1}
    level, root = [start], None
    for _ in range(_MOST_HOPS):
        further: list[int] = []
        for place in level:
            for each in seen.after(place):
                if each in came or len(came) > _MOST_SEEN or not _is_part(seen, each):
                    continue
                came[each] = place
                further.append(each)
                if root is None and not words[each].isdisjoint(_ROOTS):
                    root = each
        if root is not None or not further:
            break
        level = further
    if root is None:
        return set()
    found = {start, root}
    place = came[root]
    while place >= 0:
        found.add(place)
        place = came[place]
    if "div" not in words[root]:
        found.update(each for each in seen.after(root) if _is_part(seen, each) and "div" in words[each])
    return {each for each in found if seen.layers[each].role is Role.KERNEL}


def _is_part(seen: Inspected, place: int) -> bool:
    return not seen.operations.is_product(place) and not seen.operations.words[place].isdisjoint(_PARTS)


def _finding(seen: Inspected, parts: list[int]) -> Finding:
    layers = [seen.layers[place] for place in parts]
    times = seen.stake(parts)
    at_stake = dict(times)
    if times:
        del at_stake[max(times, key=times.__getitem__)]
    taken = f", {priced(sum(times.values()), seen.total_ms)}" if times else ""
    types = list(dict.fromkeys(tensor.precision for layer in layers for tensor in layer.outputs[:1]))
    saved = f"; up to {ms(sum(at_stake.values()))} to be saved" if at_stake else ""
    names = listed(shortened(each.name) for each in layers)
    return Finding(
        f"a normalization runs as {len(parts)} kernels{taken}: {names}{saved}",
        tuple(layer.index for layer in layers),
        at_stake,
        _FORMULA if at_stake else "",
        (Evidence("kernels", len(parts)), Evidence("types", ", ".join(types))),
        (
            "torch.onnx.export(…, opset_version=17): LayerNormalization stays one operator",
            "remove casts and reformats between ReduceMean and Div, so that all parts are of one type",
            "keep the one operator in FP32 if FP16 overflows, not its parts",
        ),
        _DOCUMENTATION,
        "the new engine names one kernel for the normalization",
        0.8 if len(types) == 1 else 0.7,
    )


RULE = Rule("NORM001", "normalization in several kernels", Severity.WARNING, check)
