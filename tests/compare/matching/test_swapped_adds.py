"""The add of two GEMMs fused into different ones of them: one match of all four."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import chain, engine, layer, t, time
from trex.compare.causes import Cause, changes_of
from trex.compare.matching.align import align
from trex.core.layer import Layer
from trex.core.timings import LayerTimes
from trex.ingest.spelling.layer_names import parse_name
from trex.plan.engine_plan import EnginePlan

SHAPE = [1, 8, 16, 16]


def product(name: str, reads: str, writes: str, tactic: str = "k", type: str = "FP16") -> Layer:
    made = layer(name, "Convolution", [t(each, SHAPE, type) for each in reads.split()], [t(writes, SHAPE, type)])
    return replace(made, name_parts=parse_name(name), tactic=tactic)


def plan(*layers: Layer) -> EnginePlan:
    numbered = chain(*layers)
    return EnginePlan(engine(*numbered), LayerTimes(tuple(time(each.name, 1.0) for each in numbered)))


def residual(
    *, on_shortcut: bool, names: tuple[str, str, str, str], tactic: str = "k", type: str = "FP16"
) -> EnginePlan:
    """first → main and shortcut, of which one adds the other's result → last."""
    first, main, shortcut, last = names
    reads = ("m", "f1 m1") if on_shortcut else ("m s1", "f1")
    writes = ("m1", "s") if on_shortcut else ("s", "s1")
    two = [
        product(main, reads[0], writes[0], tactic, type),
        product(shortcut, reads[1], writes[1], tactic, type),
    ]
    return plan(
        product(first, "x", "f1", tactic, type),
        product("middle" + first, "f1", "m", tactic, type),
        *(two if on_shortcut else two[::-1]),
        product(last, "s", "y", tactic, type),
    )


NAMED = ("a/Conv", "b/Conv", "c/Conv", "d/Conv")


@pytest.mark.parametrize("other", [NAMED, ("e", "f", "g", "h")], ids=["named alike", "named otherwise"])
def test_gemms_with_a_swapped_add_are_one_match(other):
    left, right = residual(on_shortcut=True, names=NAMED), residual(on_shortcut=False, names=other)
    found = align(left, right)
    (turned,) = [match for match in found.matches if match.has_swapped_add]
    assert (turned.left, turned.right) == ((2, 3), (2, 3))
    assert all(len(match.left) == len(match.right) == 1 for match in found.matches if match is not turned)
    (change,) = [each for each in changes_of(found) if each.match is turned]
    assert change.cause is Cause.FUSION
    assert "the add is in the other branch" in change.words


def test_another_precision_takes_precedence():
    left = residual(on_shortcut=True, names=NAMED)
    right = residual(on_shortcut=False, names=NAMED, tactic="i8", type="INT8")
    (change,) = [each for each in changes_of(align(left, right)) if each.match.has_swapped_add]
    assert change.cause is Cause.PRECISION


def test_the_same_branch_is_not_swapped():
    left, right = (residual(on_shortcut=True, names=names) for names in (NAMED, ("e", "f", "g", "h")))
    assert not any(match.has_swapped_add for match in align(left, right).matches)
